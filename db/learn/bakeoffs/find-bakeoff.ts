import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'

const BAKEOFF = [
  'id',
  'namespace',
  'state',
  'dataset_id as datasetId',
  'dataset_version as datasetVersion',
  'merkle_root as merkleRoot',
  'definition',
  'row_count as rowCount',
  'train_count as trainCount',
  'summary',
  'error_code as errorCode',
  'error_message as errorMessage',
  'created_at as createdAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
] as const

const CONTESTANT = [
  'bakeoff_id as bakeoffId',
  'contestant',
  'name',
  'kind',
  'answered_count as answeredCount',
  'facts',
  'figures',
  'error_code as errorCode',
  'error_message as errorMessage',
] as const

/** A bake-off with its contestants, in their order. */
export type ShownBakeoff = Awaited<ReturnType<typeof findBakeoff>>
/** A contestant of a bake-off. */
export type ShownContestant = ShownBakeoff['contestants'][number]

/** Returns a bake-off. Throws `not_found`, also for another tenant's. */
export async function findBakeoff(op: Operation, id: string) {
  const [[found], contestants] = await op.read((q) => [
    q.selectFrom('bakeoffs').select(BAKEOFF).where('id', '=', id).where('tenant_id', '=', op.tenantId),
    q
      .selectFrom('bakeoff_contestants')
      .select(CONTESTANT)
      .where('bakeoff_id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('contestant'),
  ])
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such bake-off')
  return { ...found, contestants }
}

/** Lists bake-offs, newest first, and counts all of them. Throws `invalid_cursor`. */
export async function listBakeoffs(
  op: Operation,
  input: PageRequest & { readonly namespace?: string | undefined },
): Promise<Page<ShownBakeoff> & { readonly total: number }> {
  const newest = newestFirst(input)
  const { namespace } = input
  const [rows, counted] = await op.read((q) => {
    const all = q.selectFrom('bakeoffs').where('tenant_id', '=', op.tenantId)
    const own = namespace === undefined ? all : all.where('namespace', '=', namespace)
    return [newest.take(own.select(BAKEOFF)), own.select(q.fn.countAll<number>().as('total'))]
  })
  const page = newest.page(rows)
  const ids = page.items.map(({ id }) => id)
  const contestants =
    ids.length === 0
      ? []
      : await op.read((q) =>
          q
            .selectFrom('bakeoff_contestants')
            .select(CONTESTANT)
            .where('bakeoff_id', 'in', ids)
            .where('tenant_id', '=', op.tenantId)
            .orderBy('contestant'),
        )
  const byBakeoff = Map.groupBy(contestants, ({ bakeoffId }) => bakeoffId)
  return {
    items: page.items.map((bakeoff) => ({ ...bakeoff, contestants: byBakeoff.get(bakeoff.id) ?? [] })),
    nextCursor: page.nextCursor,
    total: counted[0]?.total ?? 0,
  }
}

import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** An evaluation as answers show it. */
export type ShownEvaluation = Awaited<ReturnType<typeof findEvaluation>>

const SHOWN = [
  'id',
  'namespace',
  'name',
  'state',
  'definition',
  'data_hash as dataHash',
  'row_count as rowCount',
  'scored_count as scoredCount',
  'cut_tokens as cutTokens',
  'source',
  'answered_count as answeredCount',
  'input_tokens as inputTokens',
  'output_tokens as outputTokens',
  'cost_usd_micros as costUsdMicros',
  'attempt',
  'summary',
  'error_code as errorCode',
  'error_message as errorMessage',
  'created_at as createdAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
] as const

/** Returns an evaluation. Throws `not_found`, also for another tenant's. */
export async function findEvaluation(op: Operation, id: string) {
  const [found] = await op.read((q) =>
    q.selectFrom('evaluations').select(SHOWN).where('id', '=', id).where('tenant_id', '=', op.tenantId),
  )
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such evaluation')
  return found
}

/** Lists evaluations, newest first. Throws `invalid_cursor`. */
export async function listEvaluations(
  op: Operation,
  input: PageRequest & { readonly namespace?: string | undefined },
): Promise<Page<ShownEvaluation>> {
  const newest = newestFirst(input)
  const { namespace } = input
  const rows = await op.read((q) => {
    const all = q.selectFrom('evaluations').select(SHOWN).where('tenant_id', '=', op.tenantId)
    return newest.take(namespace === undefined ? all : all.where('namespace', '=', namespace))
  })
  return newest.page(rows)
}

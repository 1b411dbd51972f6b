import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { BudgetPoint } from '../../../core/learn/distill/data-budget.ts'
import type { Operation } from '../../kernel/operation.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** A run as verbs and answers read it. */
export type ShownRun = Awaited<ReturnType<typeof findRun>>

/** Columns of a run. */
export const RUN = [
  'id',
  'namespace',
  'kind',
  'state',
  'stage',
  'request',
  'charged_to as chargedTo',
  'student',
  'teacher',
  'dataset_id as datasetId',
  'dataset_version as datasetVersion',
  'job_id as jobId',
  'counts',
  'manifest',
  'put_aside as putAside',
  'adapter_sha256 as adapterSha256',
  'spend_micros as spendMicros',
  'step_count as stepCount',
  'loss_final as lossFinal',
  'k_final as kFinal',
  'event_seq as eventSeq',
  'error_code as errorCode',
  'error_message as errorMessage',
  'created_at as createdAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
] as const

/** Returns a run. Throws `not_found`, also for another tenant's. */
export async function findRun(op: Operation, id: string) {
  const [found] = await op.read((q) =>
    q.selectFrom('distill_runs').select(RUN).where('id', '=', id).where('tenant_id', '=', op.tenantId),
  )
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such run')
  return found
}

/** Lists runs, newest first. Throws `invalid_cursor`. */
export async function listRuns(
  op: Operation,
  input: PageRequest & { readonly namespace?: string | undefined },
): Promise<Page<ShownRun>> {
  const newest = newestFirst(input)
  const { namespace } = input
  const rows = await op.read((q) => {
    const all = q.selectFrom('distill_runs').select(RUN).where('tenant_id', '=', op.tenantId)
    return newest.take(namespace === undefined ? all : all.where('namespace', '=', namespace))
  })
  return newest.page(rows)
}

/** Finished runs whose points a budget is fitted to at most, the newest. */
const MOST_POINTS = 200

/** Lists the measured points of a namespace: rows learned from and K-score of each finished run that measured one. */
export async function listBudgetPoints(op: Operation, namespace: string): Promise<readonly BudgetPoint[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('distill_runs')
      .select(['counts', 'k_final as kFinal'])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('kind', '=', 'from_captures')
      .where('finished_at', 'is not', null)
      .where('k_final', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(MOST_POINTS),
  )
  return rows.map(({ counts, kFinal }) => ({ pairs: counts.train, kScore: kFinal ?? 0 }))
}

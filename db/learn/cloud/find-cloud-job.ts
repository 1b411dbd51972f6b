import { sql, type SqlBool } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { CloudState } from '../../../core/learn/distill/cloud/states.ts'
import type { Operation } from '../../kernel/operation.ts'
import { BUILDER, type Reads } from '../../kernel/queries/typed.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** A cloud job as answers show it. */
export type ShownCloudJob = Awaited<ReturnType<typeof findCloudJob>>

const SHOWN = [
  'c.id',
  'c.namespace',
  'c.recipe_id as recipeId',
  'c.capture_window as captureWindow',
  'c.lane',
  'c.gpu_sku as gpuSku',
  'c.vram_tier as vramTier',
  'c.rate_usd_micros as rateUsdMicros',
  'c.budget_usd_micros as budgetUsdMicros',
  'c.base_model as baseModel',
  'c.cancelled_at as cancelledAt',
  'c.cancel_reason as cancelReason',
  'c.created_at as createdAt',
  'c.settled_at as settledAt',
  'r.id as runId',
  'r.job_id as runJobId',
  'r.finished_at as finishedAt',
  'j.id as compileJobId',
] as const

/** The leases of the machines that a distillation `r` rents. */
const LEASES = BUILDER.selectFrom('rental_leases as l').where('l.job_id', '=', sql.ref<string>('r.job_id'))

/** A job is where its distillation is, once that exists; before, it waits, was cancelled or could not begin. */
const STATE = sql<CloudState>`case
  when r.state = 'completed' then 'succeeded'
  when r.state in ('failed', 'cancelled') then r.state
  when r.id is null and c.cancelled_at is not null then 'cancelled'
  when r.id is null and c.error_code is not null then 'failed'
  when exists ${LEASES.select('l.id').where('l.opened_at', 'is not', null)} then 'running'
  else 'queued' end`

const shownFrom = (q: Reads, tenantId: string) =>
  q
    .selectFrom('cloud_jobs as c')
    .leftJoin('distill_runs as r', 'r.id', 'c.run_id')
    .leftJoin('compile_jobs as j', 'j.id', 'r.job_id')
    .select(SHOWN)
    .select([
      STATE.as('state'),
      sql<string | null>`coalesce(r.error_code, c.error_code)`.as('errorCode'),
      sql<string | null>`coalesce(r.error_message, c.error_message)`.as('errorMessage'),
      LEASES.select((of) => of.fn.min('l.opened_at').as('at')).as('openedAt'),
    ])
    .where('c.tenant_id', '=', tenantId)

/** Returns a cloud job. Throws `not_found`, also for another tenant's. */
export async function findCloudJob(op: Operation, id: string) {
  const [job] = await op.read((q) => shownFrom(q, op.tenantId).where('c.id', '=', id))
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such cloud job')
  return job
}

/** Cloud jobs that are listed, and how many the tenant has in each state. */
export interface CloudJobList extends Page<ShownCloudJob> {
  readonly counts: Readonly<Partial<Record<CloudState, number>>>
}

/** Lists cloud jobs, newest first, and counts all of them by state. Throws `invalid_cursor`. */
export async function listCloudJobs(
  op: Operation,
  input: PageRequest & { readonly namespace?: string | undefined; readonly state?: CloudState | undefined },
): Promise<CloudJobList> {
  const after = placeOf(input.cursor)
  const { namespace, state } = input
  const [rows, counts] = await op.read((q) => {
    let listed = shownFrom(q, op.tenantId).where(
      sql<SqlBool>`(c.created_at, c.id) < (${new Date(after.rank)}, ${after.id})`,
    )
    if (namespace !== undefined) listed = listed.where('c.namespace', '=', namespace)
    if (state !== undefined) listed = listed.where(STATE, '=', state)
    return [
      listed
        .orderBy('c.created_at', 'desc')
        .orderBy('c.id', 'desc')
        .limit(input.limit + 1),
      q
        .selectFrom('cloud_jobs as c')
        .leftJoin('distill_runs as r', 'r.id', 'c.run_id')
        .select([STATE.as('state'), sql<number>`count(*)::integer`.as('count')])
        .where('c.tenant_id', '=', op.tenantId)
        .groupBy(sql`1`),
    ]
  })
  return {
    ...pageOf(rows, input.limit, placeByCreation),
    counts: Object.fromEntries(counts.map((row) => [row.state, row.count])),
  }
}

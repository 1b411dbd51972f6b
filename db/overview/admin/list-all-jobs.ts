import type { JobStatus, Stage } from '../../../core/compile/task.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** A compile of some tenant. */
export interface JobLine {
  readonly id: string
  readonly tenantId: string
  readonly tenantName: string
  readonly task: string
  readonly status: JobStatus
  readonly stage: Stage
  readonly kScore: number | null
  readonly errorCode: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** Which jobs. */
export interface JobSearch extends PageRequest {
  readonly status?: JobStatus | undefined
}

/** The compiles of all tenants, newest first. Throws `invalid_cursor`. */
export async function listAllJobs(op: Operation, input: JobSearch): Promise<Page<JobLine>> {
  const after = placeOf(input.cursor)
  const rows = await op.db.query<JobLine>(
    `select j.id, j.tenant_id as "tenantId", t.name as "tenantName", j.task, j.status, j.stage, j.k_score as "kScore",
       j.error_code as "errorCode", j.created_at as "createdAt", j.finished_at as "finishedAt"
     from compile_jobs j join tenants t on t.id = j.tenant_id
     where ($1::text is null or j.status = $1) and (j.created_at, j.id) < ($2, $3)
     order by j.created_at desc, j.id desc limit $4`,
    [input.status ?? null, new Date(after.rank), after.id, input.limit + 1],
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}

/** How many compiles there are in all. */
export async function countAllJobs(op: Operation, status: JobStatus | undefined): Promise<number> {
  const [row] = await op.db.query<{ total: number }>(
    'select count(*) as total from compile_jobs where $1::text is null or status = $1',
    [status ?? null],
  )
  return row?.total ?? 0
}

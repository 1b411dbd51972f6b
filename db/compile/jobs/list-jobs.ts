import type { JobStatus, Stage } from '../../../core/compile/task.ts'
import { boundsOf, specInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** What a list of jobs shows of each. */
export interface CompileJobSummary {
  readonly id: string
  readonly status: JobStatus
  readonly stage: Stage
  readonly progress: number
  readonly task: string
  readonly baseModel: string
  readonly kScore: number | null
  /** Size of the archive, once there is one. */
  readonly sizeBytes: number | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** The tenant's jobs, newest first; with a status, only those that stand there. Throws `invalid_cursor`. */
export async function listJobs(
  op: Operation,
  input: PageRequest & { readonly status?: JobStatus | undefined },
): Promise<Page<CompileJobSummary>> {
  const after = placeOf(input.cursor)
  const rows = await op.db.query<CompileJobSummary>(
    `select j.id, j.status, j.stage, j.progress, j.task, j.base_model as "baseModel", j.k_score as "kScore",
       a.size_bytes as "sizeBytes", j.created_at as "createdAt", j.finished_at as "finishedAt"
     from (
       select * from compile_jobs
       where tenant_id = $1 and (created_at, id) < ($2, $3) and ${specInBounds('compile_jobs', 5)}
         ${input.status === undefined ? '' : 'and status = $6'}
       order by created_at desc, id desc limit $4
     ) j left join artifacts a on a.id = j.id
     order by j.created_at desc, j.id desc`,
    [
      op.tenantId,
      new Date(after.rank),
      after.id,
      input.limit + 1,
      boundsOf(op),
      ...(input.status === undefined ? [] : [input.status]),
    ],
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}

/** How many jobs the tenant has in all. */
export async function countJobs(op: Operation): Promise<number> {
  const [row] = await op.db.query<{ total: number }>(
    `select count(*) as total from compile_jobs where tenant_id = $1 and ${specInBounds('compile_jobs', 2)}`,
    [op.tenantId, boundsOf(op)],
  )
  return row?.total ?? 0
}

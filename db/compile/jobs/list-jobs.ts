import { sql, type SqlBool } from 'kysely'
import type { JobStatus, Stage } from '../../../core/compile/rows/task.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** An entry of a list of jobs. */
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

/** Lists the tenant's jobs, newest first; with a status, only those in it. Throws `invalid_cursor`. */
export async function listJobs(
  op: Operation,
  input: PageRequest & { readonly status?: JobStatus | undefined },
): Promise<Page<CompileJobSummary>> {
  const after = placeOf(input.cursor)
  const { status } = input
  const rows = await op.read((q) =>
    q
      .selectFrom(
        q
          .selectFrom('compile_jobs')
          .selectAll()
          .where('tenant_id', '=', op.tenantId)
          .where(sql<SqlBool>`(created_at, id) < (${new Date(after.rank)}, ${after.id})`)
          .$if(status !== undefined, (all) => all.where(sql<SqlBool>`status = ${status}`))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(input.limit + 1)
          .as('j'),
      )
      .leftJoin('artifacts as a', 'a.id', 'j.id')
      .select([
        'j.id',
        'j.status',
        'j.stage',
        'j.progress',
        'j.task',
        'j.base_model as baseModel',
        'j.k_score as kScore',
        'a.size_bytes as sizeBytes',
        'j.created_at as createdAt',
        'j.finished_at as finishedAt',
      ])
      .orderBy('j.created_at', 'desc')
      .orderBy('j.id', 'desc'),
  )
  return pageOf(rows, input.limit, placeByCreation)
}

/** Returns the total number of the tenant's jobs. */
export async function countJobs(op: Operation): Promise<number> {
  const [row] = await op.read((q) =>
    q.selectFrom('compile_jobs').select(q.fn.countAll<number>().as('total')).where('tenant_id', '=', op.tenantId),
  )
  return row?.total ?? 0
}

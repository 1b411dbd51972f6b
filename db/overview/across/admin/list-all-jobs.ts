import { sql } from 'kysely'
import type { JobStatus, Stage } from '../../../../core/compile/rows/task.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { service } from '../../../kernel/queries/service.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../../kernel/tables/page.ts'

/** A compile of any tenant. */
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

/** Filter for jobs. */
export interface JobSearch extends PageRequest {
  readonly status?: JobStatus | undefined
}

const WHY = 'operators see the compiles of all tenants'

/** Lists the compiles of all tenants, newest first. Throws `invalid_cursor`. */
export async function listAllJobs(op: Operation, input: JobSearch): Promise<Page<JobLine>> {
  const after = placeOf(input.cursor)
  const { status } = input
  const rows = await service.read(op.db, WHY, (q) =>
    q
      .selectFrom('compile_jobs as j')
      .innerJoin('tenants as t', 't.id', 'j.tenant_id')
      .select([
        'j.id',
        'j.tenant_id as tenantId',
        't.name as tenantName',
        'j.task',
        'j.status',
        'j.stage',
        'j.k_score as kScore',
        'j.error_code as errorCode',
        'j.created_at as createdAt',
        'j.finished_at as finishedAt',
      ])
      .$if(status !== undefined, (some) => some.where(sql<boolean>`j.status = ${status}`))
      .where(sql<boolean>`(j.created_at, j.id) < (${new Date(after.rank)}, ${after.id})`)
      .orderBy('j.created_at', 'desc')
      .orderBy('j.id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, placeByCreation)
}

/** Returns the total number of compiles. */
export async function countAllJobs(op: Operation, status: JobStatus | undefined): Promise<number> {
  const [row] = await service.read(op.db, WHY, (q) =>
    q
      .selectFrom('compile_jobs')
      .select(q.fn.countAll<number>().as('total'))
      .$if(status !== undefined, (some) => some.where(sql<boolean>`status = ${status}`)),
  )
  return row?.total ?? 0
}

import type { JobStatus } from '../../core/compiler/task.ts'
import type { Operation } from '../operation.ts'

/** The figures behind the overview of a tenant's compiler. */
export interface CompilerOverview {
  readonly counts: OverviewCounts
  /** The namespaces that events were captured in, fullest first. */
  readonly namespaces: readonly { readonly namespace: string; readonly captures: number }[]
  readonly recentJobs: readonly RecentJob[]
}

/** How much there is of each. */
export interface OverviewCounts {
  readonly captures: number
  readonly sources: number
  readonly namespaces: number
  readonly compileJobs: number
  readonly artifacts: number
  /** Concepts that answer calls. */
  readonly specialists: number
  /** Calls that were answered, and files that were exported or downloaded. */
  readonly calls: number
  readonly deliveries: number
}

/** One of the newest jobs. */
export interface RecentJob {
  readonly id: string
  readonly task: string
  readonly namespace: string | null
  readonly status: JobStatus
  readonly createdAt: Date
}

const NAMESPACES = 25
const JOBS = 10

/** What there is of the tenant's captures, compiles and artifacts. */
export async function compilerOverview(op: Operation): Promise<CompilerOverview> {
  const [[counts], namespaces, recentJobs] = await Promise.all([
    op.db.query<OverviewCounts>(
      `select captured.captures, captured.sources, captured.namespaces,
         (select count(*) from compile_jobs where tenant_id = $1) as "compileJobs",
         (select count(*) from artifacts where tenant_id = $1) as artifacts,
         (select count(*) from concepts
          where tenant_id = $1 and deleted_at is null and head_version_id is not null) as specialists,
         (select coalesce(sum(calls), 0)::bigint from invocation_stats where tenant_id = $1) as calls,
         (select count(*) from exports where tenant_id = $1 and state = 'succeeded') as deliveries
       from (select count(*) as captures, count(distinct source_id) as sources,
               count(distinct namespace) as namespaces
             from control_events where tenant_id = $1) captured`,
      [op.tenantId],
    ),
    op.db.query<{ namespace: string; captures: number }>(
      `select namespace, count(*) as captures from control_events where tenant_id = $1
       group by namespace order by captures desc, namespace limit ${NAMESPACES}`,
      [op.tenantId],
    ),
    op.db.query<RecentJob>(
      `select id, task, spec ->> 'corpus_namespace' as namespace, status, created_at as "createdAt"
       from compile_jobs where tenant_id = $1 order by created_at desc, id desc limit ${JOBS}`,
      [op.tenantId],
    ),
  ])
  if (counts === undefined) throw new Error('no counts')
  return { counts, namespaces, recentJobs }
}

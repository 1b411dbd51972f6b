import type { JobStatus } from '../../../core/compile/task.ts'
import type { Operation } from '../../kernel/operation.ts'
import { boundsOf, inBounds, jobInBounds } from '../../kernel/namespaces/bounds.ts'

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
  readonly calls: number
  /** Files that were exported. */
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

/**
 * What there is of the tenant's captures, compiles and artifacts; for a key that is bound to namespaces, what there is in
 * these.
 */
export async function compilerOverview(op: Operation): Promise<CompilerOverview> {
  const bounds = boundsOf(op)
  const [[counts], namespaces, recentJobs] = await Promise.all([
    op.db.query<OverviewCounts>(
      `select captured.captures, captured.sources, captured.namespaces,
         (select count(*) from compile_jobs
          where tenant_id = $1 and ${inBounds(`spec ->> 'corpus_namespace'`, 2)}) as "compileJobs",
         (select count(*) from artifacts where tenant_id = $1 and ${jobInBounds('artifacts.id', 2)}) as artifacts,
         (select count(*) from concepts join versions on versions.id = concepts.head_version_id
          where concepts.tenant_id = $1 and concepts.deleted_at is null
            and ${jobInBounds('versions.job_id', 2)}) as specialists,
         (select coalesce(sum(calls), 0)::bigint from invocation_stats join versions on versions.id = version_id
          where invocation_stats.tenant_id = $1 and ${jobInBounds('versions.job_id', 2)}) as calls,
         (select count(*) from exports
          where tenant_id = $1 and state = 'succeeded' and ${jobInBounds('exports.artifact_id', 2)}) as deliveries
       from (
         select coalesce(sum(captures), 0)::bigint as captures, count(distinct source_id) as sources,
           count(distinct namespace) as namespaces
         from (
           select namespace, source_id, count(*) as captures from control_events
           where tenant_id = $1 and ${inBounds('namespace', 2)} group by namespace, source_id) of_source) captured`,
      [op.tenantId, bounds],
    ),
    op.db.query<{ namespace: string; captures: number }>(
      `select namespace, count(*) as captures from control_events
       where tenant_id = $1 and ${inBounds('namespace', 2)}
       group by namespace order by captures desc, namespace limit ${NAMESPACES}`,
      [op.tenantId, bounds],
    ),
    op.db.query<RecentJob>(
      `select id, task, spec ->> 'corpus_namespace' as namespace, status, created_at as "createdAt"
       from compile_jobs where tenant_id = $1 and ${inBounds(`spec ->> 'corpus_namespace'`, 2)}
       order by created_at desc, id desc limit ${JOBS}`,
      [op.tenantId, bounds],
    ),
  ])
  if (counts === undefined) throw new Error('no counts')
  return { counts, namespaces, recentJobs }
}

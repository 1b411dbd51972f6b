import { sql } from 'kysely'
import type { JobStatus } from '../../../core/compile/rows/task.ts'
import type { Operation } from '../../kernel/operation.ts'
import { specNamespace } from '../../kernel/namespaces/within.ts'

/** The figures behind the overview of a tenant's compiler. */
export interface CompilerOverview {
  readonly counts: OverviewCounts
  /** The namespaces that events were captured in, fullest first. */
  readonly namespaces: readonly { readonly namespace: string; readonly captures: number }[]
  readonly recentJobs: readonly RecentJob[]
}

/** Counts of each. */
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

/** Counts of the tenant's captures, compiles and artifacts; for a key bound to namespaces, those in them. */
export async function compilerOverview(op: Operation): Promise<CompilerOverview> {
  const { tenantId } = op
  const [[counts], namespaces, recentJobs] = await op.read((q) => [
    q
      .selectFrom((of) =>
        of
          .selectFrom((each) =>
            each
              .selectFrom('control_events')
              .select(['namespace', 'source_id', each.fn.countAll<number>().as('captures')])
              .where('tenant_id', '=', tenantId)
              .groupBy(['namespace', 'source_id'])
              .as('of_source'),
          )
          .select([
            sql<number>`coalesce(sum(captures), 0)::bigint`.as('captures'),
            sql<number>`count(distinct source_id)`.as('sources'),
            sql<number>`count(distinct namespace)`.as('namespaces'),
          ])
          .as('captured'),
      )
      .select(['captured.captures', 'captured.sources', 'captured.namespaces'])
      .select([
        sql<number>`(select count(*) from compile_jobs job
          where tenant_id = ${tenantId})`.as('compileJobs'),
        sql<number>`(select count(*) from artifacts
          where tenant_id = ${tenantId})`.as('artifacts'),
        sql<number>`(select count(*) from concepts join versions on versions.id = concepts.head_version_id
          where concepts.tenant_id = ${tenantId} and concepts.deleted_at is null)`.as('specialists'),
        sql<number>`(select coalesce(sum(calls), 0)::bigint from invocation_stats join versions on versions.id = version_id
          where invocation_stats.tenant_id = ${tenantId})`.as('calls'),
        sql<number>`(select count(*) from exports
          where tenant_id = ${tenantId} and state = 'succeeded')`.as('deliveries'),
      ]),
    q
      .selectFrom('control_events')
      .select(['namespace', q.fn.countAll<number>().as('captures')])
      .where('tenant_id', '=', tenantId)
      .groupBy('namespace')
      .orderBy('captures', 'desc')
      .orderBy('namespace')
      .limit(NAMESPACES),
    q
      .selectFrom('compile_jobs as job')
      .select(['id', 'task', specNamespace('job').as('namespace'), 'status', 'created_at as createdAt'])
      .where('tenant_id', '=', tenantId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(JOBS),
  ])
  if (counts === undefined) throw new Error('no counts')
  return { counts, namespaces, recentJobs }
}

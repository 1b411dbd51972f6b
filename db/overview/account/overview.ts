import { sql } from 'kysely'
import type { JobStatus } from '../../../core/compile/rows/task.ts'
import type { Operation } from '../../kernel/operation.ts'
import { countRows } from '../../kernel/queries/count-rows.ts'
import { specNamespace } from './spec-namespace.ts'

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
      .select((of) => [
        'captured.captures',
        'captured.sources',
        'captured.namespaces',
        countRows(of.selectFrom('compile_jobs').where('tenant_id', '=', tenantId)).as('compileJobs'),
        countRows(of.selectFrom('artifacts').where('tenant_id', '=', tenantId)).as('artifacts'),
        countRows(
          of
            .selectFrom('concepts as c')
            .innerJoin('versions as v', 'v.id', 'c.head_version_id')
            .where('c.tenant_id', '=', tenantId)
            .where('c.deleted_at', 'is', null),
        ).as('specialists'),
        of
          .selectFrom('invocation_stats as s')
          .innerJoin('versions as v', 'v.id', 's.version_id')
          .select(sql<number>`coalesce(sum(s.calls), 0)::bigint`.as('calls'))
          .where('s.tenant_id', '=', tenantId)
          .$asScalar()
          .$notNull()
          .as('calls'),
        countRows(of.selectFrom('exports').where('tenant_id', '=', tenantId).where('state', '=', 'succeeded')).as(
          'deliveries',
        ),
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

import { sql } from 'kysely'
import type { JobStatus, Stage } from '../../../../core/compile/rows/task.ts'
import { within, type Database } from '../../../kernel/database.ts'
import { countRows } from '../../../kernel/queries/count-rows.ts'
import { service } from '../../../kernel/queries/service.ts'

const WHY = 'counts over all tenants, for metrics'

/** Totals of the service. */
export interface Counts {
  readonly tenants: number
  readonly concepts: number
  readonly versions: number
  /** Number of accepted compiles. */
  readonly syntheses: number
  readonly invocations: number
}

/** A reading of the service at one moment. */
export interface KnownCounts {
  /** Returns the counts, or the last known ones when the database does not answer; null before the first. */
  readonly counts: Counts | null
  /** True when the database answered the last query. */
  readonly isStoreAnswering: boolean
}

/** Counts read at most once per `maxAgeMs`, however often they are requested. */
export interface ServiceCounts {
  /** Returns within a second, whatever the database does. */
  current(): Promise<KnownCounts>
}

/** Time that a caller waits for a reading; a slower one continues, and no second one starts beside it. */
const PATIENCE_MS = 1000

/** Opens the counts. */
export function createServiceCounts(deps: { readonly db: Database; readonly maxAgeMs: number }): ServiceCounts {
  let counts: Counts | null = null
  let isStoreAnswering = false
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    try {
      counts = await readCounts(deps.db)
      isStoreAnswering = true
    } catch {
      isStoreAnswering = false
    } finally {
      readAtMs = performance.now()
      reading = undefined
    }
  }
  return {
    async current() {
      if (reading === undefined && performance.now() - readAtMs > deps.maxAgeMs) reading = read()
      if (reading !== undefined) {
        await within(PATIENCE_MS, reading).catch(() => {
          isStoreAnswering = false
        })
      }
      return { counts, isStoreAnswering }
    },
  }
}

async function readCounts(db: Database): Promise<Counts> {
  const [row] = await service.read(db, WHY, (q) =>
    q.selectNoFrom([
      countRows(q.selectFrom('tenants').where('kind', '<>', 'operator').where('deleted_at', 'is', null)).as('tenants'),
      countRows(q.selectFrom('concepts').where('deleted_at', 'is', null)).as('concepts'),
      countRows(q.selectFrom('versions').where('deleted_at', 'is', null)).as('versions'),
      countRows(q.selectFrom('compile_jobs')).as('syntheses'),
      q
        .selectFrom('call_totals')
        .select(sql<number>`coalesce(sum(calls), 0)::bigint`.as('calls'))
        .$asScalar()
        .$notNull()
        .as('invocations'),
    ]),
  )
  if (row === undefined) throw new Error('no counts')
  return row
}

/** Number of unfinished jobs at a stage. */
export interface StageCount {
  readonly stage: Stage
  readonly status: JobStatus
  readonly count: number
}

/** Returns unfinished jobs by stage, over all tenants; for metrics. */
export async function jobsByStage(db: Database): Promise<readonly StageCount[]> {
  return await service.read(db, WHY, (q) =>
    q
      .selectFrom('compile_jobs')
      .select(['stage', 'status', q.fn.countAll<number>().as('count')])
      .where('finished_at', 'is', null)
      .groupBy(['stage', 'status'])
      .orderBy('stage')
      .orderBy('status'),
  )
}

/** Amount of work waiting for workers. */
export interface QueueDepth {
  /** Jobs that wait for their tenant's turn. */
  readonly waiting: number
  /** Jobs that were admitted and are not finished. */
  readonly running: number
  /** Workflows that were not started yet. */
  readonly unstarted: number
}

/** Returns the amount of work waiting for workers, over all tenants; for metrics. */
export async function queueDepth(db: Database): Promise<QueueDepth> {
  const [row] = await service.read(db, WHY, (q) =>
    q
      .selectFrom('compile_jobs')
      .select((of) => [
        sql<number>`count(*) filter (where admitted_at is null)`.as('waiting'),
        sql<number>`count(*) filter (where admitted_at is not null)`.as('running'),
        countRows(of.selectFrom('outbox').where('family', '=', 'compile')).as('unstarted'),
      ])
      .where('finished_at', 'is', null),
  )
  return row ?? { waiting: 0, running: 0, unstarted: 0 }
}

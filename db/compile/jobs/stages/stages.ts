import type { WorkStage } from '../../../../core/compile/task.ts'
import type { Json, JsonObject, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { Database, SqlRunner } from '../../../kernel/database.ts'
import { appendEvents, type NewJobEvent } from '../../events/append-event.ts'
import { inTransaction } from '../../../kernel/transaction.ts'
import { assertUnfinished, lockJob } from '../lock-job.ts'
import { jobProgress } from './progress.ts'
import type { StageCost } from './stage-cost.ts'

/** How a stage ended. */
export type StageOutcome = 'done' | 'skipped' | 'failed'

/** What a stage left for the next one. */
export interface StageResult {
  readonly stage: WorkStage
  readonly outcome: StageOutcome
  readonly result: Json
  readonly blobSha256: Sha256 | null
  readonly cost: StageCost
  readonly completedAt: Date
}

/** What to record of a stage that is over. */
export interface CompleteStageInput {
  readonly jobId: string
  readonly stage: WorkStage
  readonly outcome: StageOutcome
  /** Small facts; what is large belongs in a blob. */
  readonly result: Json
  readonly blobSha256?: Sha256 | undefined
  readonly cost: StageCost
  /** Events that belong to the result and are written with it, once. */
  readonly events?: readonly NewJobEvent[]
  readonly now: Date
}

/**
 * Begins a stage, or begins it again after a crash. Answers the recorded result when the stage is over already: the
 * caller then has nothing to do. Throws `compile_cancelled` or `already_finished` when the job is final without it.
 */
export async function beginStage(
  db: Database,
  input: { readonly jobId: string; readonly stage: WorkStage; readonly now: Date },
): Promise<{ readonly result: StageResult | null }> {
  const { jobId, stage, now } = input
  return await inTransaction(db, null, async (tx) => {
    const job = await lockJob(tx, jobId, null)
    const recorded = await readResult(tx, jobId, stage)
    if (recorded !== null) return { result: recorded }
    assertUnfinished(job)
    const [begun] = await tx.query<{ attempts: number }>(
      `insert into job_stages as s (job_id, stage, tenant_id, attempts, fraction, started_at) values ($1, $2, $4, 1, 0, $3)
       on conflict (job_id, stage) do update set attempts = s.attempts + 1
       returning attempts`,
      [jobId, stage, now, job.tenantId],
    )
    if (begun?.attempts !== 1) return { result: null }
    await tx.query(
      `update compile_jobs set status = 'running', stage = $2, started_at = coalesce(started_at, $3),
         progress = greatest(progress, $4)
       where id = $1`,
      [jobId, stage, now, jobProgress(stage, 0)],
    )
    const events: NewJobEvent[] = []
    if (job.status === 'queued') events.push({ kind: 'step.end', body: { step: 'queued', status: 'done' } })
    events.push({ kind: 'step.start', body: { step: stage, status: 'running' } })
    await appendEvents(tx, jobId, events, now)
    return { result: null }
  })
}

/**
 * Records what a stage found, with its events. The first record stands: a second call, from a retry or a worker that
 * was thought dead, gets the stored result back. Throws `compile_cancelled` or `already_finished` as `beginStage`.
 */
export async function completeStage(db: Database, input: CompleteStageInput): Promise<StageResult> {
  const { jobId, stage, outcome, cost, now } = input
  return await inTransaction(db, null, async (tx) => {
    const job = await lockJob(tx, jobId, null)
    const recorded = await readResult(tx, jobId, stage)
    if (recorded !== null) return recorded
    assertUnfinished(job)
    const updated = await tx.query(
      `update job_stages set outcome = $3, result = $4, blob_sha256 = $5, cost = $6, completed_at = $7, fraction = 1
       where job_id = $1 and stage = $2 returning 1`,
      [jobId, stage, outcome, JSON.stringify(input.result), input.blobSha256 ?? null, JSON.stringify(cost), now],
    )
    if (updated.length === 0) throw new Error(`stage ${stage} of ${jobId} was never begun`)
    await tx.query(
      `update compile_jobs set cost_usd_micros = cost_usd_micros + $2, progress = greatest(progress, $3) where id = $1`,
      [jobId, cost.usdMicros, jobProgress(stage, 1)],
    )
    await appendEvents(
      tx,
      jobId,
      [
        ...(input.events ?? []),
        { kind: 'cost', body: { step: stage, ...costBody(cost) } },
        { kind: 'step.end', body: { step: stage, status: outcome } },
      ],
      now,
    )
    const stored = await readResult(tx, jobId, stage)
    if (stored === null) throw new Error(`stage ${stage} of ${jobId} lost its result`)
    return stored
  })
}

/** The recorded result of a stage; null when it is not over. */
export async function stageResult(
  db: Database,
  input: { readonly jobId: string; readonly stage: WorkStage },
): Promise<StageResult | null> {
  return await readResult(db, input.jobId, input.stage)
}

/**
 * Tells how far a stage is, `fraction` from 0 to 1, with a `progress` event. Of a stage that is over nothing is
 * written. Throws `compile_cancelled` or `already_finished` when the job is final: time to stop working.
 */
export async function reportProgress(
  db: Database,
  input: {
    readonly jobId: string
    readonly stage: WorkStage
    readonly fraction: number
    readonly note: string
    readonly now: Date
  },
): Promise<void> {
  const { jobId, stage, note, now } = input
  const fraction = Math.min(Math.max(input.fraction, 0), 1)
  await inTransaction(db, null, async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, null))
    const [moved] = await tx.query<{ fraction: number }>(
      `update job_stages set fraction = greatest(fraction, $3)
       where job_id = $1 and stage = $2 and completed_at is null returning fraction`,
      [jobId, stage, fraction],
    )
    if (moved === undefined) return
    await tx.query('update compile_jobs set progress = greatest(progress, $2) where id = $1', [
      jobId,
      jobProgress(stage, moved.fraction),
    ])
    await appendEvents(tx, jobId, [{ kind: 'progress', body: { step: stage, fraction: moved.fraction, note } }], now)
  })
}

function costBody(cost: StageCost): JsonObject {
  return {
    duration_ms: cost.durationMs,
    usd_micros: cost.usdMicros,
    ...(cost.cpuMs === undefined ? {} : { cpu_ms: cost.cpuMs }),
    ...(cost.tokens === undefined ? {} : { tokens: cost.tokens }),
    ...(cost.workUnits === undefined ? {} : { work_units: cost.workUnits }),
  }
}

async function readResult(sql: SqlRunner, jobId: string, stage: WorkStage): Promise<StageResult | null> {
  const [row] = await sql.query<StageResult>(
    `select stage, outcome, result, blob_sha256 as "blobSha256", cost, completed_at as "completedAt"
     from job_stages where job_id = $1 and stage = $2 and completed_at is not null`,
    [jobId, stage],
  )
  return row ?? null
}

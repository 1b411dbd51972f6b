import { sql, type NotNull } from 'kysely'
import type { Json, JsonObject, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import { json } from '../../../kernel/queries/typed.ts'
import { appendEvents, postEvents, type NewJobEvent } from '../../progress/events/append-event.ts'
import { isFinal, type WorkStage } from '../../../../core/compile/rows/task.ts'
import { compiled, prepared } from '../../../kernel/queries/compiled.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { assertUnfinished, lockJob, type LockedJob } from '../lock-job.ts'
import { atLeast, jobProgress, moveStage } from './progress.ts'
import type { StageCost } from './stage-cost.ts'

/** Outcome of a stage. */
export type StageOutcome = 'done' | 'skipped' | 'failed'

/** Data of a stage for the next one. */
export interface StageResult {
  readonly stage: WorkStage
  readonly outcome: StageOutcome
  readonly result: Json
  readonly blobSha256: Sha256 | null
  readonly cost: StageCost
  readonly completedAt: Date
}

/** Record of a finished stage. */
export interface CompleteStageInput {
  readonly jobId: string
  readonly stage: WorkStage
  readonly outcome: StageOutcome
  /** Small facts; large data belongs in a blob. */
  readonly result: Json
  readonly blobSha256?: Sha256 | undefined
  /** The rows of the job with their results, when this stage scored them. */
  readonly rowsSha256?: Sha256 | undefined
  readonly cost: StageCost
  /** Events of the result, written with it, once. */
  readonly events?: readonly NewJobEvent[]
  /** The stage to begin with this record. */
  readonly next?: WorkStage | undefined
  readonly now: Date
}

/** A stage that was begun. */
export interface BegunStage {
  readonly stage: WorkStage
  /** The recorded result when the stage is over already: then no work is left. */
  readonly result: StageResult | null
}

/**
 * Begins a stage, or begins it again after a crash. Throws `compile_cancelled` or `already_finished` when the job is
 * final and the stage has no recorded result.
 */
export async function beginStage(
  op: TenantAccess,
  input: { readonly jobId: string; readonly stage: WorkStage; readonly now: Date },
): Promise<BegunStage> {
  return await op.write(async (tx) => {
    const job = await lockJob(tx, input.jobId, op.tenantId)
    return { stage: input.stage, result: await enterStage(tx, job, input) }
  })
}

/** Begins a stage of a locked job. Returns its recorded result when it is over, and else null. Throws as `beginStage`. */
async function enterStage(
  tx: Transaction,
  job: LockedJob,
  { stage, now }: { readonly stage: WorkStage; readonly now: Date },
): Promise<StageResult | null> {
  const jobId = job.id
  const isOver = isFinal(job.status)
  const recorded = isOver ? await stageResult(tx, { jobId, stage }) : null
  if (recorded !== null) return recorded
  assertUnfinished(job)
  const [begun] = await tx.send(upsertStage({ jobId, stage, tenantId: job.tenantId, now }))
  // The conflicting row that is complete is not updated, and not returned.
  if (begun === undefined) return await stageResult(tx, { jobId, stage })
  if (begun.attempts !== 1) return null
  // An accepted job stays gated until its archive is signed.
  if (!isOver) tx.post(startStage({ jobId, stage, now, progress: jobProgress(stage, 0) }))
  const events: NewJobEvent[] = []
  if (job.status === 'queued') events.push({ kind: 'step.end', body: { step: 'queued', status: 'done' } })
  events.push({ kind: 'step.start', body: { step: stage, status: 'running' } })
  postEvents(tx, jobId, events, now)
  return null
}

const upsertStage = prepared(
  (q, row: { readonly jobId: string; readonly stage: WorkStage; readonly tenantId: string; readonly now: Date }) =>
    q
      .insertInto('job_stages')
      .values({
        job_id: row.jobId,
        stage: row.stage,
        tenant_id: row.tenantId,
        attempts: 1,
        fraction: 0,
        started_at: row.now,
      })
      .onConflict((on) =>
        on
          .columns(['job_id', 'stage'])
          .doUpdateSet({ attempts: sql<number>`job_stages.attempts + 1` })
          .where('job_stages.completed_at', 'is', null),
      )
      .returning('attempts'),
)

const startStage = compiled(
  (q, row: { readonly jobId: string; readonly stage: WorkStage; readonly now: Date; readonly progress: number }) =>
    q
      .updateTable('compile_jobs')
      .set({
        status: 'running',
        stage: row.stage,
        started_at: sql<Date>`coalesce(started_at, ${row.now}::timestamptz)`,
        progress: sql<number>`greatest(progress, ${row.progress}::double precision)`,
      })
      .where('id', '=', row.jobId),
)

/**
 * Records the result of a stage, with its events, and begins the stage that `next` names. The first record stands: a
 * second call, from a retry or a worker that was considered dead, gets the stored result. Throws `compile_cancelled` or
 * `already_finished` as `beginStage`.
 */
export async function completeStage(
  op: TenantAccess,
  input: CompleteStageInput,
): Promise<{ readonly stored: StageResult; readonly begun: BegunStage | null }> {
  const { jobId, stage, outcome, cost, next, now } = input
  return await op.write(async (tx) => {
    const job = await lockJob(tx, jobId, op.tenantId)
    const before = isFinal(job.status) ? await stageResult(tx, { jobId, stage }) : null
    if (before !== null) return { stored: before, begun: null }
    assertUnfinished(job)
    const [recorded] = await tx.q
      .updateTable('job_stages')
      .set({
        outcome,
        result: json(input.result),
        blob_sha256: input.blobSha256 ?? null,
        cost: json(cost),
        completed_at: now,
        fraction: 1,
      })
      .where('job_id', '=', jobId)
      .where('stage', '=', stage)
      .where('completed_at', 'is', null)
      .returning([...RESULT])
      .$narrowType<Recorded>()
      .execute()
    if (recorded === undefined) {
      const stored = await stageResult(tx, { jobId, stage })
      if (stored === null) throw new Error(`stage ${stage} of ${jobId} was never begun`)
      return { stored, begun: null }
    }
    tx.post(
      tx.q
        .updateTable('compile_jobs')
        .set((of) => ({
          cost_usd_micros: of('cost_usd_micros', '+', cost.usdMicros),
          progress: atLeast(jobProgress(stage, 1)),
          ...(input.rowsSha256 !== undefined && { rows_sha256: input.rowsSha256 }),
        }))
        .where('id', '=', jobId),
    )
    const events: readonly NewJobEvent[] = [
      ...(input.events ?? []),
      { kind: 'cost', body: { step: stage, ...costBody(cost) } },
      { kind: 'step.end', body: { step: stage, status: outcome } },
    ]
    postEvents(tx, jobId, events, now)
    if (next === undefined) return { stored: recorded, begun: null }
    return { stored: recorded, begun: { stage: next, result: await enterStage(tx, job, { stage: next, now }) } }
  })
}

const RESULT = [
  'stage',
  'outcome',
  'result',
  'blob_sha256 as blobSha256',
  'cost',
  'completed_at as completedAt',
] as const
type Recorded = { outcome: NotNull; result: NotNull; cost: NotNull; completedAt: NotNull }

/** Returns the recorded result of a stage; null when it is not over. */
export async function stageResult(
  from: Reader,
  input: { readonly jobId: string; readonly stage: WorkStage },
): Promise<StageResult | null> {
  const [row] = await from.read((q) =>
    q
      .selectFrom('job_stages')
      .select([...RESULT])
      .where('job_id', '=', input.jobId)
      .where('stage', '=', input.stage)
      .where('completed_at', 'is not', null)
      .$narrowType<Recorded>(),
  )
  return row ?? null
}

/**
 * Reports the progress of a stage, `fraction` from 0 to 1, with a `progress` event. Writes nothing for a finished
 * stage. Throws `compile_cancelled` or `already_finished` when the job is final: work must stop.
 */
export async function reportProgress(
  op: TenantAccess,
  input: {
    readonly jobId: string
    readonly stage: WorkStage
    readonly fraction: number
    readonly note: string
    readonly now: Date
  },
): Promise<void> {
  const { jobId, stage, note, now } = input
  await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, op.tenantId))
    const fraction = await moveStage(tx, input)
    if (fraction === null) return
    await appendEvents(tx, jobId, [{ kind: 'progress', body: { step: stage, fraction, note } }], now)
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

import { sql, type NotNull } from 'kysely'
import type { WorkStage } from '../../../../core/compile/task.ts'
import type { Json, JsonObject, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import { json } from '../../../kernel/queries/typed.ts'
import { appendEvents, type NewJobEvent } from '../../events/append-event.ts'
import { assertUnfinished, lockJob } from '../lock-job.ts'
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
  readonly cost: StageCost
  /** Events of the result, written with it, once. */
  readonly events?: readonly NewJobEvent[]
  readonly now: Date
}

/**
 * Begins a stage, or begins it again after a crash. Returns the recorded result when the stage is over already: the
 * caller then has no work left. Throws `compile_cancelled` or `already_finished` when the job is final without it.
 */
export async function beginStage(
  op: TenantAccess,
  input: { readonly jobId: string; readonly stage: WorkStage; readonly now: Date },
): Promise<{ readonly result: StageResult | null }> {
  const { jobId, stage, now } = input
  return await op.write(async (tx) => {
    const job = await lockJob(tx, jobId, op.tenantId)
    const recorded = await stageResult(tx, { jobId, stage })
    if (recorded !== null) return { result: recorded }
    assertUnfinished(job)
    const begun = await tx.q
      .insertInto('job_stages')
      .values({ job_id: jobId, stage, tenant_id: op.tenantId, attempts: 1, fraction: 0, started_at: now })
      .onConflict((on) =>
        on.columns(['job_id', 'stage']).doUpdateSet({ attempts: sql<number>`job_stages.attempts + 1` }),
      )
      .returning('attempts')
      .executeTakeFirst()
    if (begun?.attempts !== 1) return { result: null }
    await tx.q
      .updateTable('compile_jobs')
      .set((of) => ({
        status: 'running',
        stage,
        started_at: of.fn.coalesce('started_at', of.val(now)),
        progress: atLeast(jobProgress(stage, 0)),
      }))
      .where('id', '=', jobId)
      .execute()
    const events: NewJobEvent[] = []
    if (job.status === 'queued') events.push({ kind: 'step.end', body: { step: 'queued', status: 'done' } })
    events.push({ kind: 'step.start', body: { step: stage, status: 'running' } })
    await appendEvents(tx, jobId, events, now)
    return { result: null }
  })
}

/**
 * Records the result of a stage, with its events. The first record stands: a second call, from a retry or a worker that
 * was considered dead, gets the stored result. Throws `compile_cancelled` or `already_finished` as `beginStage`.
 */
export async function completeStage(op: TenantAccess, input: CompleteStageInput): Promise<StageResult> {
  const { jobId, stage, outcome, cost, now } = input
  return await op.write(async (tx) => {
    const job = await lockJob(tx, jobId, op.tenantId)
    const recorded = await stageResult(tx, { jobId, stage })
    if (recorded !== null) return recorded
    assertUnfinished(job)
    const updated = await tx.q
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
      .executeTakeFirst()
    if (updated.numUpdatedRows === 0n) throw new Error(`stage ${stage} of ${jobId} was never begun`)
    await tx.q
      .updateTable('compile_jobs')
      .set((of) => ({
        cost_usd_micros: of('cost_usd_micros', '+', cost.usdMicros),
        progress: atLeast(jobProgress(stage, 1)),
      }))
      .where('id', '=', jobId)
      .execute()
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
    const stored = await stageResult(tx, { jobId, stage })
    if (stored === null) throw new Error(`stage ${stage} of ${jobId} lost its result`)
    return stored
  })
}

/** Returns the recorded result of a stage; null when it is not over. */
export async function stageResult(
  from: Reader,
  input: { readonly jobId: string; readonly stage: WorkStage },
): Promise<StageResult | null> {
  const [row] = await from.read((q) =>
    q
      .selectFrom('job_stages')
      .select(['stage', 'outcome', 'result', 'blob_sha256 as blobSha256', 'cost', 'completed_at as completedAt'])
      .where('job_id', '=', input.jobId)
      .where('stage', '=', input.stage)
      .where('completed_at', 'is not', null)
      .$narrowType<{ outcome: NotNull; result: NotNull; cost: NotNull; completedAt: NotNull }>(),
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

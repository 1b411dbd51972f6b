import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Json, JsonObject, Sha256 } from '../../../../core/kernel/json/json.ts'
import { isFinal, type WorkStage } from '../../../../core/compile/rows/task.ts'
import { postBlobs } from '../../../kernel/blobs/put-blob.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { postEvents, type NewJobEvent } from '../../progress/events/append-event.ts'
import { assertUnfinished, lockJob, type LockedJob } from '../lock-job.ts'
import { jobProgress } from './progress.ts'
import type { StageCost } from './stage-cost.ts'
import {
  RESULT,
  stageResult,
  type BegunStage,
  type CompleteStageInput,
  type Recorded,
  type StageResult,
} from './stages.ts'

/**
 * Begins a stage, or begins it again after a crash. Throws `compile_cancelled` or `already_finished` when the job is
 * final and the stage has no recorded result.
 */
export async function beginStage(
  op: TenantAccess,
  input: { readonly jobId: string; readonly stage: WorkStage; readonly now: Date },
): Promise<BegunStage> {
  const { jobId, stage, now } = input
  return await op.write(async (tx) => {
    const job = await lockJob(tx, jobId, op.tenantId)
    const { result, events } = await enterStage(tx, job, { stage, now })
    // An accepted job stays gated until its archive is signed.
    if (events.length > 0 && !isFinal(job.status)) {
      tx.post(startStage({ jobId, stage, now, progress: jobProgress(stage, 0), costUsdMicros: 0 }))
    }
    postEvents(tx, jobId, events, now)
    return { stage, result }
  })
}

/** The begin of a stage: its recorded result when it is over, and the events of its first begin. */
interface Entry {
  readonly result: StageResult | null
  readonly events: readonly NewJobEvent[]
}

/** Begins a stage of a locked job; the caller posts its events and shows it in the job. Throws as `beginStage`. */
async function enterStage(
  tx: Transaction,
  job: LockedJob,
  { stage, now }: { readonly stage: WorkStage; readonly now: Date },
): Promise<Entry> {
  const jobId = job.id
  const recorded = isFinal(job.status) ? await stageResult(tx, { jobId, stage }) : null
  if (recorded !== null) return { result: recorded, events: [] }
  assertUnfinished(job)
  const [begun] = await tx.send(upsertStage({ jobId, stage, tenantId: job.tenantId, now }))
  // The conflicting row that is complete is not updated, and not returned.
  if (begun === undefined) return { result: await stageResult(tx, { jobId, stage }), events: [] }
  if (begun.attempts !== 1) return { result: null, events: [] }
  const queued: readonly NewJobEvent[] =
    job.status === 'queued' ? [{ kind: 'step.end', body: { step: 'queued', status: 'done' } }] : []
  return { result: null, events: [...queued, { kind: 'step.start', body: { step: stage, status: 'running' } }] }
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

/** The stages as the job shows them. */
interface ShownStage {
  readonly jobId: string
  readonly progress: number
  /** Added to the cost of the job. */
  readonly costUsdMicros: number
}

const startStage = prepared((q, row: ShownStage & { readonly stage: WorkStage; readonly now: Date }) =>
  q
    .updateTable('compile_jobs')
    .set({
      status: 'running',
      stage: row.stage,
      started_at: sql<Date>`coalesce(started_at, ${row.now}::timestamptz)`,
      progress: sql<number>`greatest(progress, ${row.progress}::double precision)`,
      cost_usd_micros: sql<number>`cost_usd_micros + ${row.costUsdMicros}::bigint`,
    })
    .where('id', '=', row.jobId),
)

const advanceJob = prepared((q, row: ShownStage) =>
  q
    .updateTable('compile_jobs')
    .set({
      progress: sql<number>`greatest(progress, ${row.progress}::double precision)`,
      cost_usd_micros: sql<number>`cost_usd_micros + ${row.costUsdMicros}::bigint`,
    })
    .where('id', '=', row.jobId),
)

/** The record of a stage, and the next one where this call has begun it. */
export interface CompletedStage {
  readonly stored: StageResult
  readonly begun: BegunStage | null
}

/**
 * Records the result of a stage, with its events, and begins the stage that `next` names. The first record stands: a
 * second call, from a retry or a worker that was considered dead, gets the stored result. Throws `compile_cancelled` or
 * `already_finished` as `beginStage`.
 */
export async function completeStage(op: TenantAccess, input: CompleteStageInput): Promise<CompletedStage> {
  return await completeStages(op, [], input)
}

/**
 * Does the same in one transaction with the records of the stages before it, of which only the first has begun. Throws
 * `store_unavailable` when another attempt recorded one of these: what follows was made from a result that does not
 * stand, and the next attempt reads the record.
 */
export async function completeStages(
  op: TenantAccess,
  earlier: readonly CompleteStageInput[],
  last: CompleteStageInput,
): Promise<CompletedStage> {
  const { jobId, next, now } = last
  const inputs = [...earlier, last]
  return await op.write(async (tx) => {
    const job = await lockJob(tx, jobId, op.tenantId)
    const before = isFinal(job.status) ? await stageResult(tx, { jobId, stage: last.stage }) : null
    if (before !== null) return { stored: before, begun: null }
    assertUnfinished(job)
    const blobs = inputs.flatMap((input) => input.blobs ?? [])
    postBlobs(tx, { tenantId: op.tenantId, bounds: tx.bounds }, blobs)
    const events: NewJobEvent[] = []
    const recorded: CompleteStageInput[] = []
    let stored: StageResult | null = null
    for (const [place, input] of inputs.entries()) {
      const beganAt = inputs[place - 1]?.now
      const entry = beganAt === undefined ? BEGUN : await enterStage(tx, job, { stage: input.stage, now: beganAt })
      const own = entry.result === null ? await recordStage(tx, input) : null
      stored = own ?? entry.result ?? (await stageResult(tx, { jobId, stage: input.stage }))
      if (own !== null) {
        recorded.push(input)
        events.push(...entry.events, ...eventsOf(input))
      } else if (input !== last) {
        throw KERNEL_ERRORS.store_unavailable(`another attempt recorded ${input.stage} of ${jobId}`)
      }
    }
    if (stored === null) throw new Error(`stage ${last.stage} of ${jobId} was never begun`)
    const isOurs = recorded.at(-1) === last
    const entered =
      next === undefined || !isOurs ? null : { stage: next, ...(await enterStage(tx, job, { stage: next, now })) }
    const shown = entered !== null && entered.events.length > 0 ? entered.stage : (recorded.at(-1)?.stage ?? null)
    postStages(tx, job, { recorded, shown: recorded.length > 1 || shown !== last.stage ? shown : null, now })
    postEvents(tx, jobId, [...events, ...(entered?.events ?? [])], now)
    return { stored, begun: entered === null ? null : { stage: entered.stage, result: entered.result } }
  })
}

/** The entry of a stage that has begun before. */
const BEGUN: Entry = { result: null, events: [] }

/** Writes the record of a begun stage; null when it is recorded already. */
async function recordStage(tx: Transaction, input: CompleteStageInput): Promise<StageResult | null> {
  const { jobId, stage, outcome, blobSha256 = null, now } = input
  const [recorded] = await tx.send(
    recordResult({
      jobId,
      stage,
      outcome,
      result: JSON.stringify(input.result),
      blobSha256,
      cost: JSON.stringify(input.cost),
      now,
    }),
  )
  return recorded ?? null
}

/** A record as it is bound: documents as their texts. */
interface BoundRecord extends Pick<CompleteStageInput, 'jobId' | 'stage' | 'outcome' | 'now'> {
  readonly result: string
  readonly blobSha256: Sha256 | null
  readonly cost: string
}

const recordResult = prepared((q, row: BoundRecord) =>
  q
    .updateTable('job_stages')
    .set({
      outcome: row.outcome,
      result: sql<Json>`${row.result}`,
      blob_sha256: row.blobSha256,
      cost: sql<StageCost>`${row.cost}`,
      completed_at: row.now,
      fraction: 1,
    })
    .where('job_id', '=', row.jobId)
    .where('stage', '=', row.stage)
    .where('completed_at', 'is', null)
    .returning([...RESULT])
    .$narrowType<Recorded>(),
)

const showRows = prepared((q, row: { readonly jobId: string; readonly rowsSha256: Sha256 }) =>
  q.updateTable('compile_jobs').set({ rows_sha256: row.rowsSha256 }).where('id', '=', row.jobId),
)

function eventsOf({ stage, outcome, cost, events = [] }: CompleteStageInput): readonly NewJobEvent[] {
  return [
    ...events,
    { kind: 'cost', body: { step: stage, ...costBody(cost) } },
    { kind: 'step.end', body: { step: stage, status: outcome } },
  ]
}

/** Shows recorded stages in their job, with the next statement; `shown` is the stage that the job has come to, if that changed. */
function postStages(
  tx: Transaction,
  job: LockedJob,
  facts: { readonly recorded: readonly CompleteStageInput[]; readonly shown: WorkStage | null; readonly now: Date },
): void {
  const { recorded, shown, now } = facts
  const last = recorded.at(-1)
  if (last === undefined) return
  const costUsdMicros = recorded.reduce((sum, { cost }) => sum + cost.usdMicros, 0)
  const row = { jobId: job.id, progress: jobProgress(last.stage, 1), costUsdMicros }
  // An accepted job stays gated until its archive is signed.
  tx.post(shown === null || isFinal(job.status) ? advanceJob(row) : startStage({ ...row, stage: shown, now }))
  for (const { rowsSha256 } of recorded) {
    if (rowsSha256 !== undefined) tx.post(showRows({ jobId: job.id, rowsSha256 }))
  }
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

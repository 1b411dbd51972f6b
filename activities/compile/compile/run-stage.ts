import type { z } from 'zod'
import type { LaneName } from '../../../core/kernel/threads/cores.ts'
import { toJsonObject } from '../../../core/compile/archive/members/members-json.ts'
import type { WorkStage } from '../../../core/compile/rows/task.ts'
import { COMPILE_ERRORS, isErrorCode } from '../../../core/compile/errors.ts'
import { DomainError, KERNEL_ERRORS, isOneOf } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { finishFailed } from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import { beginStage, completeStages } from '../../../db/compile/jobs/stages/record-stages.ts'
import type { CompleteStageInput } from '../../../db/compile/jobs/stages/stages.ts'
import { inSlot, type HeldSlot } from '../../compute-slot.ts'
import { codeOfError } from '../../kernel/failures.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type CompileDeps } from './deps.ts'
import { JobData } from './job-data.ts'
import type { JobRef } from './results.ts'

/** Result of a stage's body: the small result that its activity returns, and data for the next stages. */
export type StageRecord<T> = Pick<
  CompleteStageInput,
  'outcome' | 'cost' | 'blobSha256' | 'rowsSha256' | 'blobs' | 'events'
> & {
  readonly result: T
  /** Small facts for later stages: recorded beside the result, not part of it. */
  readonly facts?: JsonObject
  /** The stage that follows. It begins with the record of this one, when the same attempt continues with it. */
  readonly next?: WorkStage
  /** True for a result that took no time worth keeping: it may be recorded together with that of the next stage. */
  readonly isQuick?: boolean
}

/** Result of an activity that does only part of its stage. */
export interface UnfinishedStage<T> {
  readonly unfinished: T
}

/** An attempt at one or more stages of a job. */
export interface StageWork {
  readonly deps: CompileDeps
  readonly ref: JobRef
  readonly activity: RunningActivity
  readonly data: JobData
  /** True when the attempt continues with the next stage. */
  readonly goesOn: boolean
}

/**
 * Runs stages of a job as one activity. A permanent error ends the job here: its message may quote an example, so it
 * never passes through Temporal.
 */
export async function runStages<T>(
  deps: CompileDeps,
  ref: JobRef,
  body: (work: StageWork) => Promise<T>,
  { goesOn = false }: { readonly goesOn?: boolean } = {},
): Promise<T> {
  return await runActivity(
    deps.log,
    async (activity) => {
      try {
        return await body({ deps, ref, activity, data: new JobData(deps, ref), goesOn })
      } catch (error) {
        if (!activity.signal.aborted) await endWhenHopeless(deps, ref, error)
        throw error
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

/** Does the part of an attempt that computes, in a compute slot: until it has one, the job is shown as waiting. */
export async function inLane<T>(
  work: StageWork,
  lane: LaneName,
  body: (work: StageWork, slot: HeldSlot) => Promise<T>,
): Promise<T> {
  return await inSlot(
    work.deps,
    { lane, work: work.ref },
    work.activity,
    async (activity, slot) => await body({ ...work, activity }, slot),
  )
}

/**
 * Does one stage. Idempotent by job and stage: a stage with a recorded result returns it again, and of two concurrent
 * attempts the first to record wins. A quick stage is recorded together with the next one, by the same attempt.
 */
export async function doStage<T extends object>(
  work: StageWork,
  stage: WorkStage,
  schema: z.ZodType<T>,
  body: (job: CompileJob) => Promise<StageRecord<T> | UnfinishedStage<T>>,
): Promise<T> {
  const { deps, ref, activity, data, goesOn } = work
  activity.signal.throwIfAborted()
  activity.note({ stage })
  const op = operationOf(deps, ref)
  const { result } = data.takeBegun(stage) ?? (await beginStage(op, { jobId: ref.jobId, stage, now: deps.now() }))
  if (result !== null) {
    data.keepRecord(result)
    return schema.parse(result.result)
  }
  const left = await bodyAfterQuick(work, stage, body)
  if ('unfinished' in left) return left.unfinished
  const { facts, next, isQuick = false, ...record } = left
  const input: CompleteStageInput = {
    ...record,
    jobId: ref.jobId,
    stage,
    result: JSON.parse(JSON.stringify({ ...record.result, ...facts })),
    next: goesOn ? next : undefined,
    now: deps.now(),
  }
  if (isQuick && input.next !== undefined) {
    data.keepQuick(input)
    return schema.parse(input.result)
  }
  const { stored, begun } = await completeStages(op, data.takeQuick(), input)
  data.keepRecord(stored)
  if (begun !== null) data.keepBegun(begun)
  return schema.parse(stored.result)
}

/**
 * Runs the body of a stage. When it fails or ends without a result, the quick stages before it are recorded, so that the job shows
 * how far it came.
 */
async function bodyAfterQuick<T extends object>(
  { deps, ref, data }: StageWork,
  stage: WorkStage,
  body: (job: CompileJob) => Promise<StageRecord<T> | UnfinishedStage<T>>,
): Promise<StageRecord<T> | UnfinishedStage<T>> {
  const recordQuick = async (): Promise<void> => {
    const quick = data.takeQuick()
    const last = quick.at(-1)
    if (last !== undefined) await completeStages(operationOf(deps, ref), quick.slice(0, -1), { ...last, next: stage })
  }
  try {
    const left = await body(await data.job())
    if ('unfinished' in left) await recordQuick()
    return left
  } catch (error) {
    // The next attempt does them again where this fails: what failed first is the reason.
    await recordQuick().catch((late: unknown) =>
      deps.log.warn({ err: late, job: ref.jobId }, 'quick stages were not recorded'),
    )
    throw error
  }
}

/** Runs one stage of a job as an activity of its own, in a slot of its lane. */
export async function runStage<T extends object>(
  deps: CompileDeps,
  ref: JobRef,
  stage: WorkStage,
  { schema, lane }: { readonly schema: z.ZodType<T>; readonly lane: LaneName },
  body: (job: CompileJob, activity: RunningActivity, slot: HeldSlot) => Promise<StageRecord<T> | UnfinishedStage<T>>,
): Promise<T> {
  return await runStages(deps, ref, async (work) =>
    inLane(work, lane, async (working, slot) =>
      doStage(working, stage, schema, async (job) => await body(job, working.activity, slot)),
    ),
  )
}

/** Codes for a job that is over or does not exist. */
const NOT_OURS_TO_END = [COMPILE_ERRORS.already_finished, MODEL_ERRORS.compile_cancelled, KERNEL_ERRORS.not_found]

/** Fails the job when its error recurs on every attempt. */
export async function endWhenHopeless(deps: CompileDeps, ref: JobRef, error: unknown): Promise<void> {
  if (!(error instanceof DomainError) || error.facts.retryable || isOneOf(error, NOT_OURS_TO_END)) return
  await finishFailed(operationOf(deps, ref), {
    jobId: ref.jobId,
    limits: deps.limits,
    errorCode: codeOfError(error, isErrorCode),
    errorMessage: error.message,
    evaluation: unfinishedEvaluation(error),
  })
}

/**
 * Returns the part of an evaluation kept with a job that failed for lack of one: the rows that were not evaluated, by
 * kind.
 */
function unfinishedEvaluation(error: DomainError): JsonObject | undefined {
  const { details } = error
  return COMPILE_ERRORS.evaluation_incomplete.matches(error) && details !== undefined
    ? toJsonObject({ ...details })
    : undefined
}

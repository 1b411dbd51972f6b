import type { z } from 'zod'
import type { LaneName } from '../../../core/kernel/threads/cores.ts'
import { toJsonObject } from '../../../core/compile/archive/members/members-json.ts'
import type { WorkStage } from '../../../core/compile/task.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { DomainError, KERNEL_ERRORS, isOneOf } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { finishFailed } from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import { beginStage, completeStage, type CompleteStageInput } from '../../../db/compile/jobs/stages/stages.ts'
import { inSlot } from '../../compute-slot.ts'
import { codeOfError } from '../../kernel/failures.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type CompileDeps } from './deps.ts'
import type { JobRef } from './results.ts'

/** Result of a stage's body: the small result that its activity returns, and data for the next stages. */
export type StageRecord<T> = Pick<CompleteStageInput, 'outcome' | 'cost' | 'blobSha256' | 'events'> & {
  readonly result: T
  /** Small facts for later stages: recorded beside the result, not part of it. */
  readonly facts?: JsonObject
}

/** Result of an activity that does only part of its stage. */
export interface UnfinishedStage<T> {
  readonly unfinished: T
}

/** Result type of a stage, and its lane of compute slots; a stage without a lane only waits for others. */
export interface StageOptions<T> {
  readonly schema: z.ZodType<T>
  readonly lane?: LaneName
}

/**
 * Runs one stage of a job as an activity. Idempotent by job and stage: a stage with a recorded result returns it again,
 * and of two concurrent runs the first to record wins. A permanent error ends the job here: its message may quote an
 * example, so it never passes through Temporal.
 */
export async function runStage<T extends object>(
  deps: CompileDeps,
  ref: JobRef,
  stage: WorkStage,
  { schema, lane }: StageOptions<T>,
  body: (job: CompileJob, activity: RunningActivity) => Promise<StageRecord<T> | UnfinishedStage<T>>,
): Promise<T> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const work = async (working: RunningActivity): Promise<T> => {
        const { result } = await beginStage(operationOf(deps, ref), { jobId: ref.jobId, stage, now: deps.now() })
        if (result !== null) return schema.parse(result.result)
        const job = await findJob(operationOf(deps, ref), ref.jobId)
        const left = await body(job, working)
        if ('unfinished' in left) return left.unfinished
        const { facts, ...record } = left
        const stored = await completeStage(operationOf(deps, ref), {
          ...record,
          jobId: ref.jobId,
          stage,
          result: JSON.parse(JSON.stringify({ ...record.result, ...facts })),
          now: deps.now(),
        })
        return schema.parse(stored.result)
      }
      try {
        // A stage begins when it gets its slot: until then the job is shown as waiting.
        return lane === undefined ? await work(activity) : await inSlot(deps, { lane, work: ref }, activity, work)
      } catch (error) {
        if (!activity.signal.aborted) await endWhenHopeless(deps, ref, error)
        throw error
      }
    },
    { stillMs: COMPUTE_STILL_MS },
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
    errorCode: codeOfError(error),
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

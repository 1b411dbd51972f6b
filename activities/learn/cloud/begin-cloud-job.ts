import { TRAIN_RATIO } from '../../../core/learn/distill/train-ratio.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { CloudChargedTo, CloudChoices } from '../../../core/learn/distill/cloud/choices.ts'
import { isOneOf, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { listPools } from '../../../db/compile/rentals/pools/pools.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import {
  failCloudJob,
  settleCloudJob,
  waitingCloudJob,
  type WaitingCloudJob,
} from '../../../db/learn/cloud/begin-cloud-job.ts'
import { cancelWithCompile } from '../../../db/learn/distill/cancel-with-compile.ts'
import { createRun } from '../../../db/learn/distill/create-run.ts'
import { cancelRun } from '../../../temporal/runs.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type CloudJobDeps, type CloudJobRef } from './deps.ts'

/** Until a job that has no place in the plan is looked at again. */
const LOOK_AGAIN_MS = 60_000

/** The outcome of a step of a cloud job. */
export interface CloudStep {
  readonly state: 'waiting' | 'started' | 'over'
  /** Longest wait, milliseconds. */
  readonly waitMs: number
}

/**
 * Starts the distillation of a cloud job, once its machines are configured. Safe to repeat: the run's id stands in the job's
 * row. A job waits while the plan allows no more. Throws `no_pool_configured` when none was for `pool_wait_s`.
 */
export async function beginCloudJob(deps: CloudJobDeps, ref: CloudJobRef): Promise<CloudStep> {
  return await runActivity(deps.log, async () => {
    const op = operationOf(deps, ref)
    const job = await waitingCloudJob(op, ref.cloudJobId)
    if (job === null) return { state: 'over', waitMs: 0 }
    if (job.isCancelled) {
      await cancelStarted(deps, op, job.runId)
      return { state: 'over', waitMs: 0 }
    }
    try {
      const waitMs = await poolWaitMs(deps, op, job)
      if (waitMs > 0) return { state: 'waiting', waitMs }
      if (!job.isStarted) await startRun(deps, op, ref.cloudJobId, job)
    } catch (error) {
      if (LEARN_ERRORS.no_pool_configured.matches(error)) {
        await failCloudJob(op, ref.cloudJobId, { errorCode: 'no_pool_configured', message: error.message })
      }
      // A full plan gets room in hours or days, longer than an activity may try.
      if (isOneOf(error, [COMPILE_ERRORS.too_many_running_jobs, KERNEL_ERRORS.rate_limited])) {
        return { state: 'waiting', waitMs: LOOK_AGAIN_MS }
      }
      throw error
    }
    await deps.workflows.start(job.runId)
    const { isCancelled } = await settleCloudJob(op, ref.cloudJobId)
    if (isCancelled) await cancelStarted(deps, op, job.runId)
    return { state: 'started', waitMs: 0 }
  })
}

/** Returns how long the job waits for a pool of its GPUs, at most; 0 when it need not. Throws `no_pool_configured`. */
async function poolWaitMs(deps: CloudJobDeps, op: Operation, job: WaitingCloudJob): Promise<number> {
  if (job.lane !== 'pool' || job.isStarted) return 0
  const pools = await listPools(op)
  if (pools.some(({ gpuSku, vramTier }) => gpuSku === job.gpuSku && vramTier === job.vramTier)) return 0
  const { pool_wait_s: waitS } = deps.limits
  const waitMs = job.createdAt.getTime() + waitS * 1000 - deps.now().getTime()
  if (waitMs > 0) return waitMs
  throw LEARN_ERRORS.no_pool_configured(
    `no pool with ${job.vramTier} ${job.gpuSku} was registered within ${waitS} seconds; nothing was charged`,
  )
}

/** Starts the distillation, whose compile asks for the machines once its rows are known. */
async function startRun(deps: CloudJobDeps, op: Operation, cloudJobId: string, job: WaitingCloudJob): Promise<void> {
  const choices = CloudChoices.parse(job.choices)
  await createRun(op, {
    runId: job.runId,
    namespace: job.namespace,
    request: {
      kind: 'cloud',
      mode: 'specialist',
      task: choices.task,
      capture_ids: null,
      statuses: ['approved'],
      most: deps.limits.upload_rows,
      train_ratio: TRAIN_RATIO,
      template_hash: null,
      k_score_floor: choices.k_score_floor,
      base_model: job.baseModel,
      capture_from: job.captureFrom.toISOString(),
      capture_to: job.createdAt.toISOString(),
      cloud_job_id: cloudJobId,
      lora: JSON.parse(JSON.stringify(choices.lora)),
    },
    student: job.baseModel,
    teacher: null,
    chargedTo: CloudChargedTo.parse(job.chargedTo),
    plan: job.plan,
    limits: deps.limits,
  })
}

/** Cancels the distillation of a job that was cancelled while it began. */
async function cancelStarted(deps: CloudJobDeps, op: Operation, runId: string): Promise<void> {
  try {
    for (const id of await cancelWithCompile(op, { runId, limits: deps.limits })) await cancelRun(deps.temporal, id)
  } catch (error) {
    if (!COMPILE_ERRORS.already_finished.matches(error)) throw error
  }
}

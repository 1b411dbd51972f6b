import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { findSensitiveRows } from '../../../core/compile/rows/sensitive-rows.ts'
import { measureFit, readQuotedBase } from '../../../core/compile/stages/rentals/quote/measure-fit.ts'
import { quote } from '../../../core/compile/stages/rentals/quote/quote.ts'
import { isErrorCode } from '../../../core/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { CloudChargedTo, CloudChoices } from '../../../core/learn/distill/cloud/choices.ts'
import { laneOfPlan, priorityOf } from '../../../core/learn/distill/cloud/priority.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { measuredSpeed } from '../../../db/compile/across/rentals/open-rentals.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { createJob } from '../../../db/compile/jobs/create-job.ts'
import type { NewRental } from '../../../db/compile/rentals/begin-rental.ts'
import { listPools } from '../../../db/compile/rentals/pools/pools.ts'
import { discardUpload } from '../../../db/kernel/blobs/uploads.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { stageBytes } from '../../../db/kernel/storage/stage-bytes.ts'
import {
  failCloudJob,
  settleCloudJob,
  waitingCloudJob,
  type WaitingCloudJob,
} from '../../../db/learn/cloud/begin-cloud-job.ts'
import { cancelRun } from '../../../temporal/runs.ts'
import { runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type CloudJobDeps, type CloudJobRef } from './deps.ts'
import { gatherExamples, type GatheredExamples } from './gather-examples.ts'

/** What became of a cloud job. */
export interface CloudStep {
  readonly state: 'waiting' | 'started' | 'over'
  /** How long it waits at most, milliseconds. */
  readonly waitMs: number
}

/**
 * Starts the compile of a cloud job, once its machines are configured. Safe to repeat: the compile's id stands in the job's row.
 * Throws `no_pool_configured` when none was for `pool_wait_s`, and what refuses the examples; the job's row has the text.
 */
export async function beginCloudJob(deps: CloudJobDeps, ref: CloudJobRef): Promise<CloudStep> {
  return await runActivity(deps.log, async (activity) => {
    const op = operationOf(deps, ref)
    const job = await waitingCloudJob(op, ref.cloudJobId)
    if (job === null) return { state: 'over', waitMs: 0 }
    try {
      const waitMs = await poolWaitMs(deps, op, job)
      if (waitMs > 0) return { state: 'waiting', waitMs }
      if (!job.isStarted) await startCompile(deps, op, job, activity)
    } catch (error) {
      if (error instanceof DomainError && isErrorCode(error.code) && !error.facts.retryable) {
        await failCloudJob(op, ref.cloudJobId, { errorCode: error.code, message: error.message })
      }
      throw error
    }
    const { isCancelled } = await settleCloudJob(op, ref.cloudJobId)
    if (isCancelled) await cancelCompile(deps, op, job.compileJobId)
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

async function startCompile(
  deps: CloudJobDeps,
  op: Operation,
  job: WaitingCloudJob,
  activity: RunningActivity,
): Promise<void> {
  const choices = CloudChoices.parse(job.choices)
  const examples = await gatherExamples(deps, op, job, activity)
  const rental = await rentalOf(deps, { job, choices, examples })
  const staged = await stageBytes(op, examples, deps.limits)
  let isCreated = false
  try {
    const { members } = examples
    await createJob(op, {
      jobId: job.compileJobId,
      spec: {
        task: choices.task,
        baseModel: job.baseModel,
        kScoreFloor: choices.k_score_floor,
        extra: {
          corpus_namespace: job.namespace,
          base_model: job.baseModel,
          recipe_kind: 'lora',
          trainer: job.lane === 'pool' ? 'pool' : 'rented',
          lora: JSON.parse(JSON.stringify(choices.lora)),
          ...(members !== null && { members: { input: [...members.input], output: [...members.output] } }),
        },
      },
      datasetSha256: staged.sha256,
      staged,
      rowCount: examples.rows,
      learned: examples.learned,
      rental,
      plan: job.plan,
      quota: job.quota,
      chargedTo: CloudChargedTo.parse(job.chargedTo),
      limits: deps.limits,
    })
    isCreated = true
  } finally {
    if (!isCreated) await discardUpload(op.db, staged.storageId).catch(() => undefined)
  }
}

/** Throws `privacy_requires_byoc` and `budget_below_quote`. */
async function rentalOf(
  deps: CloudJobDeps,
  {
    job,
    choices,
    examples,
  }: { readonly job: WaitingCloudJob; readonly choices: CloudChoices; readonly examples: GatheredExamples },
): Promise<NewRental> {
  const { lane, rateUsdMicros, budgetUsdMicros, gpuSku, vramTier } = job
  const sensitive = lane === 'pool' ? { rows: 0, classes: [] } : await findSensitiveRows(examples.read())
  if (sensitive.rows > 0 && !job.allowsSensitive) {
    throw COMPILE_ERRORS.privacy_requires_byoc(
      `${sensitive.rows} captures hold sensitive text (${sensitive.classes.join(', ')}) and do not leave for a rented machine; use a pool of your own, or set allow_sensitive`,
      { details: { rows: sensitive.rows, classes: [...sensitive.classes] } },
    )
  }
  const base = await readQuotedBase(await findBase(job.baseModel, deps.baseFolders))
  const { parametersB } = base
  const quoted = quote({
    lane,
    usdPerHour: rateUsdMicros / 1_000_000,
    size: await measureFit(examples, base, choices.lora.epochs),
    parametersB,
    // Pools of others have other machines.
    measured: lane === 'pool' ? undefined : await measuredSpeed(deps.db, { lane, parametersB }),
  })
  if (quoted.usd.expected > budgetUsdMicros / 1_000_000) {
    throw COMPILE_ERRORS.budget_below_quote(
      `budget_usd: ${budgetUsdMicros / 1_000_000} is below the quote of ${quoted.usd.expected} US dollars; raise it, or take a shorter capture_window`,
      { details: { budget_usd: budgetUsdMicros / 1_000_000, quote_usd: quoted.usd.expected } },
    )
  }
  return {
    lane,
    budgetUsdMicros,
    rateUsdMicros,
    quote: quoted,
    providerKeyId: job.providerKeyId,
    parametersB,
    metered: { gpuSku, vramTier },
    priority: lane === 'pool' ? priorityOf(laneOfPlan(job.plan)) : null,
    sensitiveClasses: sensitive.classes,
  }
}

/** Cancels the compile of a job that was cancelled while it began. */
async function cancelCompile(deps: CloudJobDeps, op: Operation, jobId: string): Promise<void> {
  try {
    await cancelJob(op, { jobId, limits: deps.limits })
    await cancelRun(deps.temporal, jobId)
  } catch (error) {
    if (!COMPILE_ERRORS.already_finished.matches(error)) throw error
  }
}

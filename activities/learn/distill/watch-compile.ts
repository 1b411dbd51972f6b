import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { isFinal, type JobStatus } from '../../../core/compile/rows/task.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { MeasuredStep } from '../../../core/learn/distill/run.ts'
import { MeasuredCheckpoint } from '../../../core/learn/wire/distill/checkpoints.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { recordSpend, recordSteps } from '../../../db/learn/distill/advance-run.ts'
import { findRun } from '../../../db/learn/distill/find-run.ts'
import { listRunSamples } from '../../../db/learn/distill/teacher-samples.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DistillDeps, type RunRef } from './deps.ts'

/** Interval between two reads of the compile, milliseconds. */
const LOOK_EVERY_MS = 1000
const BATCH = 500

/** A line of a compile's log that measures a step of its fit. */
const FitMetric = z.object({
  step: z.literal('lora-fit'),
  training_step: z.int(),
  training_steps: z.int(),
  epoch: z.number(),
  loss: z.number(),
  validation_loss: z.number().nullable(),
  tokens_per_second: z.number(),
  eta_seconds: z.number(),
  on_policy_fraction: z.number().optional(),
  checkpoints: z.array(MeasuredCheckpoint).optional(),
})

/** The state of the compile of a run. */
export interface WatchedCompile {
  readonly status: JobStatus
  readonly steps: number
  readonly loss: number | null
}

/**
 * Copies the measured steps and the costs of a run's compile to the run, until the compile is over. Safe to repeat: a step is recorded
 * once. Throws `compile_cancelled` when the run was cancelled.
 */
export async function watchCompile(deps: DistillDeps, ref: RunRef): Promise<WatchedCompile> {
  return await runActivity(deps.log, async (activity) => {
    const op = operationOf(deps, ref)
    const { jobId } = await findRun(op, ref.runId)
    const samples = await listRunSamples(op, ref.runId)
    const paid = samples.reduce((sum, { costMicros }) => sum + costMicros, 0)
    let afterSeq = 0
    let last: MeasuredStep | undefined
    for (;;) {
      activity.signal.throwIfAborted()
      // The row first: once it is final, the log is whole.
      const job = await findJob(op, jobId)
      for (;;) {
        const events = await listEvents(op, { jobId, afterSeq, limit: BATCH })
        const steps = events.flatMap(({ kind, body }) => (kind === 'metric' ? measured(body) : []))
        if (steps.length > 0) await recordSteps(op, ref.runId, { steps, attempt: activity.attempt })
        last = steps.at(-1) ?? last
        afterSeq = events.at(-1)?.seq ?? afterSeq
        if (events.length < BATCH) break
      }
      if (job.costUsdMicros > 0) await recordSpend(op, ref.runId, paid + job.costUsdMicros)
      if (isFinal(job.status)) return { status: job.status, steps: last?.step ?? 0, loss: last?.loss ?? null }
      activity.note({ step: job.stage, ...(last?.loss !== undefined && { loss: last.loss }) })
      await sleep(LOOK_EVERY_MS, undefined, { signal: activity.signal })
    }
  })
}

function measured(body: JsonObject): readonly MeasuredStep[] {
  const { success, data } = FitMetric.safeParse(body)
  if (!success) return []
  return [
    {
      step: data.training_step,
      steps: data.training_steps,
      epoch: data.epoch,
      loss: data.loss,
      validation_loss: data.validation_loss,
      tokens_per_second: data.tokens_per_second,
      eta_seconds: data.eta_seconds,
      ...(data.on_policy_fraction !== undefined && { on_policy_fraction: data.on_policy_fraction }),
      ...(data.checkpoints !== undefined && { checkpoints: data.checkpoints }),
    },
  ]
}

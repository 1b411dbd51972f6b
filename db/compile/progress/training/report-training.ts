import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { FitHistory } from '../../../../core/model/training/loop/history.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import { appendEvents } from '../events/append-event.ts'
import { assertUnfinished, lockJob } from '../../jobs/lock-job.ts'
import { moveStage } from '../../jobs/stages/progress.ts'

/** Progress of a fit. */
export interface TrainingProgress {
  readonly step: number
  readonly steps: number
  readonly epoch: number
  readonly loss: number
  readonly validationLoss: number | null
  readonly onPolicyShare?: number | undefined
  readonly tokensPerSecond: number
  readonly etaSeconds: number
  /** Measurements on the validation rows that were not reported before, oldest first. */
  readonly checkpoints?: FitHistory['validations']
}

/**
 * Reports the progress of a fit, with a `metric` event: `fraction` of the stage from 0 to 1, which never falls. Writes
 * nothing for a finished stage. Throws `compile_cancelled` or `already_finished` when the job is final.
 */
export async function reportTraining(
  op: TenantAccess,
  input: { readonly jobId: string; readonly fraction: number; readonly progress: TrainingProgress; readonly now: Date },
): Promise<void> {
  const { jobId, fraction, progress, now } = input
  await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, op.tenantId))
    const moved = await moveStage(tx, { jobId, stage: 'lora-fit', fraction })
    if (moved === null) return
    await appendEvents(tx, jobId, [{ kind: 'metric', body: metricBody(progress) }], now)
  })
}

function metricBody(progress: TrainingProgress): JsonObject {
  return {
    step: 'lora-fit',
    training_step: progress.step,
    training_steps: progress.steps,
    epoch: progress.epoch,
    loss: progress.loss,
    validation_loss: progress.validationLoss,
    tokens_per_second: Math.round(progress.tokensPerSecond),
    eta_seconds: Math.round(progress.etaSeconds),
    ...(progress.onPolicyShare !== undefined && { on_policy_fraction: progress.onPolicyShare }),
    ...((progress.checkpoints ?? []).length > 0 && { checkpoints: progress.checkpoints?.map(checkpointBody) ?? [] }),
  }
}

function checkpointBody({ step, loss, risk, accuracy = null }: FitHistory['validations'][number]): JsonObject {
  return { step, validation_loss: loss, risk, accuracy }
}

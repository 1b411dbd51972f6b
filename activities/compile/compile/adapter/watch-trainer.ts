import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { LORA_SKIP_REASONS } from '../../../../core/compile/stages/lora/decide-fit.ts'
import { FitHistory, MOST_LOOKS } from '../../../../core/model/training/loop/history.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { findHeartbeat, isTrainerListening } from '../../../../temporal/trainer.ts'
import { runActivity } from '../../../kernel/run-activity.ts'
import type { CompileDeps } from '../deps.ts'
import type { FitRef } from '../results.ts'
import { fitIdOf } from './fit-id.ts'
import { createProgressTeller } from './tell-progress.ts'

/** Interval between two reads of a trainer's heartbeats. */
const LOOK_EVERY_MS = 2000

/** The content of a trainer's heartbeats. */
const Heartbeat = z.object({
  step: z.int(),
  steps: z.int(),
  epoch: z.number(),
  loss: z.number(),
  validationLoss: z.number().nullable(),
  learningRate: z.number(),
  tokensPerSecond: z.number(),
  etaSeconds: z.number(),
  onPolicyShare: z.number().exactOptional(),
  validations: FitHistory.shape.validations.max(MOST_LOOKS).exactOptional(),
})

/**
 * Reports the progress of an external fit to the job's stream, from the heartbeats that Temporal holds, until it is
 * cancelled. Throws `no_trainer_installed` when no trainer has polled for `trainer_absent_s`.
 */
export async function watchTrainer(deps: CompileDeps, ref: FitRef): Promise<void> {
  await runActivity(deps.log, async (activity) => {
    const one = await fitIdOf(deps, ref)
    const { signal } = activity
    const over = new AbortController()
    const ended = AbortSignal.any([signal, over.signal])
    const teller = createProgressTeller(deps, one, () => over.abort())
    let lastStep = 0
    let heardAt = performance.now()
    while (!ended.aborted) {
      activity.progress()
      const seen = Heartbeat.safeParse(await findHeartbeat(deps.temporal, one.jobId).catch(() => undefined))
      if (seen.success && seen.data.step !== lastStep) {
        lastStep = seen.data.step
        heardAt = performance.now()
        activity.note(seen.data)
        teller.tell(seen.data)
      }
      // While Temporal does not answer, the state of the trainer is unknown as well.
      if (await isTrainerListening(deps.temporal, deps.now()).catch(() => true)) heardAt = performance.now()
      if (performance.now() - heardAt > deps.limits.trainer_absent_s * 1000) {
        throw COMPILE_ERRORS.no_trainer_installed(LORA_SKIP_REASONS.no_trainer_installed)
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: ended }).catch(() => undefined)
    }
    await teller.settle()
    signal.throwIfAborted()
  })
}

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { LORA_SKIP_REASONS } from '../../../../core/compile/lora/decide-fit.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { findHeartbeat, isTrainerListening } from '../../../../temporal/trainer.ts'
import { runActivity } from '../../../kernel/run-activity.ts'
import type { CompileDeps } from '../deps.ts'
import type { FitRef } from '../results.ts'
import { fitIdOf } from './fit-id.ts'
import { createProgressTeller } from './tell-progress.ts'

/** How often the heartbeats of a trainer are looked at. */
const LOOK_EVERY_MS = 2000

/** What a trainer says with its heartbeats. */
const Heartbeat = z.object({
  step: z.int(),
  steps: z.int(),
  epoch: z.number(),
  loss: z.number(),
  validationLoss: z.number().nullable(),
  learningRate: z.number(),
  tokensPerSecond: z.number(),
  etaSeconds: z.number(),
})

/**
 * Tells the job's stream how a fit of another program goes, from the heartbeats that Temporal has of it, until it is
 * cancelled. Throws `no_trainer_installed` when for `trainer_absent_s` no trainer was heard of.
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
      // While Temporal does not answer, nothing is known of the trainer either.
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

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { findHeartbeat } from '../../../temporal/trainer.ts'
import { runActivity } from '../../run-activity.ts'
import type { CompileDeps } from '../deps.ts'
import type { FitRef } from '../results.ts'
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
 * cancelled. Nothing depends on it.
 */
export async function watchTrainer(deps: CompileDeps, { jobId }: FitRef): Promise<void> {
  await runActivity(deps.log, async (activity) => {
    const { signal } = activity
    const over = new AbortController()
    const ended = AbortSignal.any([signal, over.signal])
    const teller = createProgressTeller(deps, jobId, () => over.abort())
    let lastStep = 0
    while (!ended.aborted) {
      const seen = Heartbeat.safeParse(await findHeartbeat(deps.temporal, jobId).catch(() => undefined))
      if (seen.success && seen.data.step !== lastStep) {
        lastStep = seen.data.step
        activity.note(seen.data)
        teller.tell(seen.data)
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: ended }).catch(() => undefined)
    }
    await teller.settle()
    signal.throwIfAborted()
  })
}

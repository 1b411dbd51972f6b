import { appendEvent } from '../../../../db/compile/progress/events/append-event.ts'
import { inSlot } from '../../../compute-slot.ts'
import type { RunningActivity } from '../../../kernel/run-activity.ts'
import { type CompileDeps, operationOf } from '../deps.ts'
import type { FitId } from './fit-id.ts'
import { trainHere, TurnOver, type FitOutcome } from './train-here.ts'

/**
 * Fits an adapter in a compute slot of the lane `fit`. When its turn is over and another tenant's fit waits, the fit
 * stops at a checkpoint, releases its slot and waits for the next turn. Throws as `trainHere` and `inSlot`.
 */
export async function trainInTurns(deps: CompileDeps, one: FitId, activity: RunningActivity): Promise<FitOutcome> {
  let ticket: number | undefined
  let seconds = 0
  for (;;) {
    try {
      const outcome = await inSlot(deps, { lane: 'long', work: one, ticket }, activity, async (working, slot) => {
        ticket = slot.ticket
        return await trainHere(deps, one, working, slot.turnOver)
      })
      return { ...outcome, seconds: seconds + outcome.seconds }
    } catch (error) {
      if (!(error instanceof TurnOver)) throw error
      seconds += error.seconds
    }
    const message = 'another tenant has its turn; the fit goes on from its checkpoint afterwards'
    const body = { step: 'lora-fit', code: 'fit_waits', message }
    await appendEvent(operationOf(deps, one), { jobId: one.jobId, kind: 'log', body, now: deps.now() })
  }
}

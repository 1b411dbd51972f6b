import { findPoke, markPoked } from '../../db/kernel/outbox/request-poke.ts'
import { pokeWorkflow } from '../../temporal/poke.ts'
import type { StartDeps } from './start-deps.ts'

/**
 * Starts or wakes the workflow that a verb has just asked for. What cannot be reached now is left to the reconciler: the
 * outbox still names it. Never rejects.
 */
export async function pokeSoon(deps: StartDeps, workflowId: string): Promise<void> {
  try {
    const poke = await findPoke(deps.db, workflowId)
    if (poke === null) return
    await pokeWorkflow(deps.temporal, poke)
    await markPoked(deps.db, poke)
  } catch (error) {
    deps.log.warn({ err: error, workflow: workflowId }, 'a workflow could not be poked; it is tried again')
  }
}

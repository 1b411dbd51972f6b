import { takeCore } from './cores.ts'
import type { FairLane } from './fair/fair-lane.ts'
import type { Share } from './fair/flows.ts'

/** A core that work holds, turn by turn. */
export interface CoreTurns {
  /** Aborted when the turn is over and another flow waits. */
  readonly over: AbortSignal
  /** Gives the core up when the turn is over, and returns with a new one. Throws as `inCoreTurns`. */
  next(): Promise<void>
}

/** The work to do in turns. */
export interface TurnsOptions {
  readonly share: Share
  readonly signal: AbortSignal
  /** Called after each turn with its length in milliseconds. */
  readonly onTurn: (ms: number) => Promise<void>
}

/**
 * Does work on a core of a lane, which it gives up between its steps when others wait. Throws the signal's reason when it is aborted
 * first, and `busy` when too many of the flow wait.
 */
export async function inCoreTurns<T>(
  lane: FairLane,
  { share, signal, onTurn }: TurnsOptions,
  work: (turns: CoreTurns) => Promise<T>,
): Promise<T> {
  let slot = await takeCore(lane, share, signal)
  let since: number | null = performance.now()
  const end = async (): Promise<void> => {
    slot.release()
    if (since === null) return
    const ms = performance.now() - since
    since = null
    await onTurn(ms)
  }
  const turns: CoreTurns = {
    get over() {
      return slot.turnOver
    },
    async next() {
      if (!slot.turnOver.aborted) return
      await end()
      slot = await takeCore(lane, share, signal, slot.ticket)
      since = performance.now()
    },
  }
  try {
    return await work(turns)
  } finally {
    await end()
  }
}

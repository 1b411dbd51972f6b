import { timerMs } from '../timers.ts'
import { FlowTable, type Flow, type Share } from './flows.ts'

/** Number of callers that a lane serves at once, and the time for which each may hold its place while others wait. */
export interface LaneOptions {
  /** Callers served at once. */
  readonly places: number
  /** Callers of one flow served at once; all places when absent. */
  readonly placesPerFlow?: number
  /**
   * Extra places for callers whose turn is over but who cannot be interrupted: their place goes to the next in line,
   * and they continue in an extra one. 0 where callers stop on request.
   */
  readonly extraPlaces: number
  /** Time after which a caller makes room for others, milliseconds. */
  readonly turnMs: number
  /** Callers of one flow that may wait here; more are turned away. */
  readonly waitingPerFlow: number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** A place in a lane. */
export interface Slot {
  /** Keeps the caller's position within its member when it returns after a turn. */
  readonly ticket: number
  /** Aborted when the turn is over and another flow waits: the caller should stop and return to the queue. */
  readonly turnOver: AbortSignal
  /** Returns the place. May be repeated. */
  release(): void
}

/** Thrown by `take` when too many callers of the flow wait already. */
export class LaneFull extends Error {}

/** A queue of callers who share a few places by weight. */
export interface FairLane {
  /**
   * Waits for a place. Rejects with the signal's reason when it is aborted first, and with `LaneFull`. `ticket` is that
   * of the slot which the caller held before.
   */
  take(share: Share, options: { readonly signal: AbortSignal; readonly ticket?: number | undefined }): Promise<Slot>
  /** Callers that wait, and callers that hold a place. */
  readonly waiting: number
  readonly held: number
  /** Most callers that hold a place at once, extra places included. */
  readonly most: number
}

/** Checks per turn of holders whose turn is over but could not be ended yet. */
const LOOKS_PER_TURN = 20

interface Waiter {
  readonly share: Share
  readonly ticket: number
  readonly grant: () => void
}

interface Holder {
  readonly share: Share
  readonly since: number
  readonly turn: AbortController
  /** True when its place went to another caller and it continues in an extra one. */
  isExtra: boolean
}

/**
 * Creates a lane. A place goes to the flow that has used the fewest place-seconds for its weight (start-time fair
 * queueing), within a flow to the member that has used the fewest, and within a member in the order of tickets. A flow
 * that returns after a pause starts level with the others, without credit for the pause. All state is in this process:
 * when it dies, its callers and their places end with it, so no place can leak.
 */
export function createFairLane(options: LaneOptions): FairLane {
  const { places, placesPerFlow = places, extraPlaces, turnMs, waitingPerFlow, now } = options
  const flows = new FlowTable(now)
  const waiters = new Set<Waiter>()
  const holders = new Set<Holder>()
  let nextTicket = 0
  let timer: NodeJS.Timeout | undefined

  const isServing = (flow: Flow): boolean => flow.held < placesPerFlow
  const isFree = (): boolean => [...holders].filter(({ isExtra }) => !isExtra).length < places

  /** The next in line, of those whose flow may have one more place. */
  function next(): Waiter | undefined {
    let best: Waiter | undefined
    for (const waiter of waiters) {
      if (!isServing(flows.of(waiter.share))) continue
      if (best === undefined || flows.compare(waiter.share, best.share) < 0) best = waiter
      else if (flows.compare(waiter.share, best.share) === 0 && waiter.ticket < best.ticket) best = waiter
    }
    return best
  }

  function serve(): void {
    for (;;) {
      const waiter = next()
      if (waiter === undefined) break
      if (!isFree() && !makeRoom(waiter)) break
      waiters.delete(waiter)
      waiter.grant()
    }
    clearTimeout(timer)
    timer = undefined
    const wakeAt = nextTurnEnd()
    if (wakeAt !== undefined) timer = setTimeout(serve, Math.max(1, timerMs(wakeAt - now()))).unref()
  }

  /**
   * Moves a caller whose turn is over to an extra place, or requests it to stop. Returns true when a place is free now.
   */
  function makeRoom(waiter: Waiter): boolean {
    const over = [...holders]
      .filter((holder) => !holder.isExtra && !holder.turn.signal.aborted && now() - holder.since >= turnMs)
      .toSorted((a, b) => flows.compare(b.share, a.share) || a.since - b.since)
    const [dearest] = over
    if (dearest === undefined) return false
    if (extraPlaces > 0) {
      if ([...holders].filter(({ isExtra }) => isExtra).length >= extraPlaces) return false
      dearest.isExtra = true
      return true
    }
    // Stopped callers return to the queue, so only a flow that is behind may request a stop, once per waiting caller.
    const asked = [...holders].filter(({ turn }) => turn.signal.aborted).length
    const isBehind = flows.compareFlows(waiter.share, dearest.share) < 0
    if (isBehind && asked < waiters.size) dearest.turn.abort()
    return false
  }

  function nextTurnEnd(): number | undefined {
    if (waiters.size === 0) return undefined
    const ends = [...holders]
      .filter((holder) => !holder.isExtra && !holder.turn.signal.aborted)
      .map(({ since }) => Math.max(since + turnMs, now() + turnMs / LOOKS_PER_TURN))
    return ends.length === 0 ? undefined : Math.min(...ends)
  }

  function hold(share: Share, ticket: number): Slot {
    const holder: Holder = { share, since: now(), turn: new AbortController(), isExtra: false }
    holders.add(holder)
    flows.begin(share)
    return {
      ticket,
      turnOver: holder.turn.signal,
      release() {
        if (!holders.delete(holder)) return
        flows.end(share, holder.since)
        flows.forget(waiters)
        serve()
      },
    }
  }

  return {
    most: places + extraPlaces,
    get waiting() {
      return waiters.size
    },
    get held() {
      return holders.size
    },
    async take(share, options) {
      const { signal, ticket = nextTicket++ } = options
      signal.throwIfAborted()
      const ahead = [...waiters].filter((waiter) => waiter.share.flow === share.flow).length
      // A caller that only gave way has its place in the line already.
      if (options.ticket === undefined && ahead >= waitingPerFlow) throw new LaneFull('too many of this flow wait')
      flows.enter(share, waiters)
      const { promise, resolve, reject } = Promise.withResolvers<Slot>()
      const waiter: Waiter = { share, ticket, grant: () => resolve(hold(share, ticket)) }
      const leave = (): void => {
        if (!waiters.delete(waiter)) return
        flows.forget(waiters)
        reject(signal.reason)
      }
      waiters.add(waiter)
      signal.addEventListener('abort', leave, { once: true })
      serve()
      return await promise.finally(() => signal.removeEventListener('abort', leave))
    },
  }
}

import type { MeterId } from '../../../core/billing/meters.ts'
import type { ChargedTo } from './charged-to.ts'
import { dayOf, type UsageRow } from './record-usage.ts'

/** The part of a captured event that the usage by day needs. */
export interface MeteredEvent {
  readonly tenantId: string
  readonly chargedTo: ChargedTo
  /** Units it took from the quota. */
  readonly units: number
}

/** A metered call, likewise. */
export interface MeteredCall extends MeteredEvent {
  readonly latencyUs: number
  readonly promptTokens: number
  readonly newTokens: number
  /** True when the provider did not report all counts. */
  readonly isEstimated: boolean
  /** Whether the model ran here, and not at a provider. */
  readonly ranHere: boolean
  /** Cost at the provider, in millionths of a US dollar; 0 where none is known. */
  readonly costUsdMicros: number
}

/** Collected sums, on their way to the database. */
export interface SummedCalls {
  readonly rows: readonly UsageRow[]
  /** Adds them to the sums again, when they could not be written. */
  putBack(): void
}

/** Sums of calls and events by day, tenant, namespace, team and member, in memory. */
export interface CallSums {
  add(call: MeteredCall, at: Date): void
  addEvent(event: MeteredEvent, at: Date): void
  /** Returns the sums so far and starts new ones. */
  drain(): SummedCalls
}

interface Amounts {
  calls: number
  estimatedCalls: number
  events: number
  units: number
  latencyUs: number
  promptTokens: number
  newTokens: number
  hostedTokens: number
  costUsdMicros: number
}

const NOTHING: Amounts = {
  calls: 0,
  estimatedCalls: 0,
  events: 0,
  units: 0,
  latencyUs: 0,
  promptTokens: 0,
  newTokens: 0,
  hostedTokens: 0,
  costUsdMicros: 0,
}

interface Sum extends Amounts {
  readonly tenantId: string
  readonly chargedTo: ChargedTo
  readonly day: string
}

const DAY_MS = 86_400_000

/** Opens empty sums. */
export function createCallSums(): CallSums {
  let sums = new Map<string, Sum>()
  let today = { number: -1, text: '' }
  const dayTextOf = (at: Date): string => {
    const number = Math.floor(at.getTime() / DAY_MS)
    // Formatted once a day: this runs in every call.
    if (number !== today.number) today = { number, text: dayOf(at) }
    return today.text
  }
  const putBack = (older: ReadonlyMap<string, Sum>): void => {
    for (const [name, sum] of older) {
      const newer = sums.get(name)
      if (newer === undefined) sums.set(name, sum)
      else merge(newer, sum)
    }
  }
  const count = ({ tenantId, chargedTo }: MeteredEvent, amounts: Amounts, at: Date): void => {
    const day = dayTextOf(at)
    const name = `${tenantId} ${day} ${chargedTo.namespace} ${chargedTo.teamId} ${chargedTo.memberId}`
    const sum = sums.get(name)
    if (sum === undefined) sums.set(name, { tenantId, chargedTo, day, ...amounts })
    else merge(sum, amounts)
  }
  return {
    add(call, at) {
      const { units, latencyUs, promptTokens, newTokens, isEstimated, ranHere, costUsdMicros } = call
      const hostedTokens = ranHere ? promptTokens + newTokens : 0
      const tokens = { promptTokens, newTokens, hostedTokens }
      const calls = { calls: 1, estimatedCalls: isEstimated ? 1 : 0 }
      count(call, { ...NOTHING, ...tokens, ...calls, units, latencyUs: Math.round(latencyUs), costUsdMicros }, at)
    },
    addEvent(event, at) {
      const { units } = event
      count(event, { ...NOTHING, events: 1, units }, at)
    },
    drain() {
      const drained = sums
      sums = new Map()
      return { rows: [...drained.values()].flatMap(rowsOf), putBack: () => putBack(drained) }
    },
  }
}

function merge(into: Sum, added: Amounts): void {
  into.calls += added.calls
  into.estimatedCalls += added.estimatedCalls
  into.events += added.events
  into.units += added.units
  into.latencyUs += added.latencyUs
  into.promptTokens += added.promptTokens
  into.newTokens += added.newTokens
  into.hostedTokens += added.hostedTokens
  into.costUsdMicros += added.costUsdMicros
}

function rowsOf({ tenantId, chargedTo, day, ...sum }: Sum): readonly UsageRow[] {
  const row = (unit: MeterId, quantity: number, latencySumUs = 0, costUsdMicros = 0): UsageRow => ({
    tenantId,
    day,
    unit,
    namespace: chargedTo.namespace,
    teamId: chargedTo.teamId,
    memberId: chargedTo.memberId,
    quantity,
    costUsdMicros,
    latencySumUs,
  })
  return [
    row('gateway_calls', sum.calls, sum.latencyUs, sum.costUsdMicros),
    row('gateway_calls_estimated', sum.estimatedCalls),
    row('captured_events', sum.events),
    row('quota_units', sum.units),
    row('hosted_inference', sum.hostedTokens),
    row('tokens_in', sum.promptTokens),
    row('tokens_out', sum.newTokens),
  ].filter(({ quantity }) => quantity > 0)
}

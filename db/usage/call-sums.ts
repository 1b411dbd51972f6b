import type { MeterId } from '../../core/tenancy/meters.ts'
import type { ChargedTo } from './charged-to.ts'
import { dayOf, type UsageRow } from './record-usage.ts'

/** A metered call as far as the usage by day looks at it. */
export interface MeteredCall {
  readonly tenantId: string
  readonly chargedTo: ChargedTo
  /** What it took from the quota. */
  readonly units: number
  readonly latencyUs: number
  readonly promptTokens: number
  readonly newTokens: number
}

/** What was added up, on its way to the database. */
export interface SummedCalls {
  readonly rows: readonly UsageRow[]
  /** Adds it to the sums again, when it could not be written. */
  putBack(): void
}

/** Sums of calls by day, tenant, namespace, team and member, in memory. */
export interface CallSums {
  add(call: MeteredCall, at: Date): void
  /** What was added up so far; the sums start anew. */
  drain(): SummedCalls
}

interface Sum {
  readonly tenantId: string
  readonly chargedTo: ChargedTo
  readonly day: string
  calls: number
  units: number
  latencyUs: number
  promptTokens: number
  newTokens: number
}

const DAY_MS = 86_400_000

/** Opens empty sums. */
export function createCallSums(): CallSums {
  let sums = new Map<string, Sum>()
  let today = { number: -1, text: '' }
  const dayTextOf = (at: Date): string => {
    const number = Math.floor(at.getTime() / DAY_MS)
    // Written out once a day: this runs in every call.
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
  return {
    add({ tenantId, chargedTo, units, latencyUs, promptTokens, newTokens }, at) {
      const day = dayTextOf(at)
      const name = `${tenantId} ${day} ${chargedTo.namespace} ${chargedTo.teamId} ${chargedTo.memberId}`
      const call = { calls: 1, units, latencyUs: Math.round(latencyUs), promptTokens, newTokens }
      const sum = sums.get(name)
      if (sum === undefined) sums.set(name, { tenantId, chargedTo, day, ...call })
      else merge(sum, call)
    },
    drain() {
      const drained = sums
      sums = new Map()
      return { rows: [...drained.values()].flatMap(rowsOf), putBack: () => putBack(drained) }
    },
  }
}

function merge(into: Sum, added: Pick<Sum, 'calls' | 'units' | 'latencyUs' | 'promptTokens' | 'newTokens'>): void {
  into.calls += added.calls
  into.units += added.units
  into.latencyUs += added.latencyUs
  into.promptTokens += added.promptTokens
  into.newTokens += added.newTokens
}

function rowsOf({ tenantId, chargedTo, day, ...sum }: Sum): readonly UsageRow[] {
  const row = (unit: MeterId, quantity: number, latencySumUs = 0): UsageRow => ({
    tenantId,
    day,
    unit,
    namespace: chargedTo.namespace,
    teamId: chargedTo.teamId,
    memberId: chargedTo.memberId,
    quantity,
    costUsdMicros: 0,
    latencySumUs,
  })
  return [
    row('gateway_calls', sum.calls, sum.latencyUs),
    row('quota_units', sum.units),
    row('hosted_inference', sum.promptTokens + sum.newTokens),
    row('tokens_in', sum.promptTokens),
    row('tokens_out', sum.newTokens),
  ].filter(({ quantity }) => quantity > 0)
}

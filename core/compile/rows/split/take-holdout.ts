import type { Unit } from './units.ts'

/** Takes units in order as long as they fit. */
function takeInOrder(units: readonly Unit[], room: number): { readonly taken: readonly Unit[]; readonly left: number } {
  let left = room
  const taken = units.filter(({ rows }) => {
    if (rows.length > left) return false
    left -= rows.length
    return true
  })
  return { taken, left }
}

/** The bits of a set of sums, and of the same sums with `size` added to each. */
function withSize(sums: Uint32Array, size: number): Uint32Array {
  const words = size >>> 5
  const bits = size & 31
  return sums.map((word, i) => {
    const low = sums[i - words] ?? 0
    const carried = bits === 0 ? 0 : (sums[i - words - 1] ?? 0) >>> (32 - bits)
    return word | (low << bits) | carried
  })
}

function hasSum(sums: Uint32Array | undefined, sum: number): boolean {
  return sums !== undefined && sum >= 0 && (((sums[sum >>> 5] ?? 0) >>> (sum & 31)) & 1) === 1
}

/**
 * Returns units with as many rows as fit into the room: the first in order if they fill it, else the selection closest to
 * it from below (subset sums over the tails of the list). Of equal selections the first in order is taken.
 */
export function fillRoom(units: readonly Unit[], room: number): readonly Unit[] {
  const { taken, left } = takeInOrder(units, room)
  if (left === 0 || taken.length === units.length) return taken
  const tails: Uint32Array[] = [new Uint32Array((room >>> 5) + 1)]
  const nothing = tails[0]
  if (nothing !== undefined) nothing[0] = 1
  for (const unit of units.toReversed()) tails.push(withSize(tails.at(-1) ?? new Uint32Array(), unit.rows.length))
  let open = room
  while (!hasSum(tails.at(-1), open)) open--
  return units.filter(({ rows }, i) => {
    // The remaining rows must come from the units after this one.
    if (!hasSum(tails[units.length - 1 - i], open - rows.length)) return false
    open -= rows.length
    return true
  })
}

/**
 * Chooses the held-out rows. Each stratum gives its quota, as near as its units allow. When the whole still has room,
 * other rows follow in order of their hash, as long as every stratum keeps a row to learn from.
 * @param units in order of their hash
 * @returns 1 for each row that is held out
 */
export function takeHoldout(units: readonly Unit[], strata: Uint32Array, quota: readonly number[]): Uint8Array {
  const held = new Uint8Array(strata.length)
  const trainLeft = quota.map(() => 0)
  for (const stratum of strata) trainLeft[stratum] = (trainLeft[stratum] ?? 0) + 1
  let room = quota.reduce((sum, one) => sum + one, 0)
  const take = ({ rows }: Unit): void => {
    for (const row of rows) {
      held[row] = 1
      const stratum = strata[row] ?? 0
      trainLeft[stratum] = (trainLeft[stratum] ?? 0) - 1
      room--
    }
  }
  const pure: Unit[][] = quota.map(() => [])
  for (const unit of units) {
    const stratum = strata[unit.rows[0] ?? 0] ?? 0
    if (unit.rows.every((row) => strata[row] === stratum)) pure[stratum]?.push(unit)
  }
  for (const [stratum, list] of pure.entries()) for (const unit of fillRoom(list, quota[stratum] ?? 0)) take(unit)
  for (const unit of units) {
    if (room === 0) break
    if (unit.rows.length > room || unit.rows.some((row) => held[row] === 1)) continue
    const needed = new Map<number, number>()
    for (const row of unit.rows) needed.set(strata[row] ?? 0, (needed.get(strata[row] ?? 0) ?? 0) + 1)
    if ([...needed].every(([stratum, count]) => count < (trainLeft[stratum] ?? 0))) take(unit)
  }
  return held
}

import { hash } from 'node:crypto'
import { shareOut } from '../../../compile/rows/split/hold-out-fifth.ts'
import { HASH_BYTES } from '../index/row-index.ts'

/** Facts from which a split is made: one entry a row. */
export interface SplitRows {
  /** The hashes of the rows, one after the other. */
  readonly hashes: Buffer
  /** The group of each row, named by its first row. */
  readonly groupOf: Uint32Array
  /** The stratum of each row: its label, or one for all. */
  readonly strata: { readonly of: Uint32Array; readonly sizes: readonly number[] }
  /** 1 for each row that must be held out: once held out, or stated so by its file. */
  readonly forced: Uint8Array
}

/** A caller's wishes for a split. */
export interface SplitWish {
  /** Share of the rows to learn from, between 0 and 1. */
  readonly trainRatio: number
  readonly minTrain: number
  readonly minHoldout: number
  /** Hexadecimal digest, or a text of the caller's. */
  readonly seed: string
}

/** Returns the places of the rows in the order of their hashes, which does not depend on the order of the rows. */
export function orderByHash(hashes: Buffer): Uint32Array {
  const rows = hashes.length / HASH_BYTES
  const heads = new Float64Array(rows)
  for (let row = 0; row < rows; row++) heads[row] = hashes.readUIntBE(row * HASH_BYTES, 6)
  const order = Uint32Array.from({ length: rows }, (_, row) => row)
  return order.sort((a, b) => {
    const lead = (heads[a] ?? 0) - (heads[b] ?? 0)
    if (lead !== 0) return lead
    return hashes.compare(hashes, b * HASH_BYTES, (b + 1) * HASH_BYTES, a * HASH_BYTES, (a + 1) * HASH_BYTES)
  })
}

/**
 * Chooses the rows that are held out: groups stay whole, strata keep their shares, and rows that must be held out take
 * their whole group along. Groups follow in the order of SHA-256 over the seed and the least row hash of the group, so
 * the choice depends on the rows alone, not on their order. A group larger than the holdout stays in train.
 * @returns 1 for each row that is held out
 */
export function chooseHoldout(rows: SplitRows, order: Uint32Array, wish: SplitWish): Uint8Array {
  const total = rows.groupOf.length
  const target = targetOf(total, wish)
  const units = unitsOf(rows, order, wish.seed)
  const held = new Uint8Array(total)
  const { of: stratumOf, sizes } = rows.strata
  const quota = target === 0 ? sizes.map(() => 0) : shareOut(sizes, target)
  const trainLeft = [...sizes]
  let room = target
  const take = (unit: number): void => {
    for (const row of units.rowsOf(unit)) {
      held[row] = 1
      const stratum = stratumOf[row] ?? 0
      quota[stratum] = (quota[stratum] ?? 0) - 1
      trainLeft[stratum] = (trainLeft[stratum] ?? 0) - 1
      room--
    }
  }
  for (let unit = 0; unit < units.count; unit++) {
    if (units.rowsOf(unit).some((row) => rows.forced[row] === 1)) take(unit)
  }
  const needs = new Map<number, number>()
  const fits = (unit: number, places: readonly number[], spare: number): boolean => {
    const members = units.rowsOf(unit)
    if (members.length > room) return false
    needs.clear()
    for (const row of members) needs.set(stratumOf[row] ?? 0, (needs.get(stratumOf[row] ?? 0) ?? 0) + 1)
    for (const [stratum, count] of needs) if (count > (places[stratum] ?? 0) - spare) return false
    return true
  }
  const sorted = units.inOrder
  // First each stratum its share; then what groups left open, as long as each stratum keeps a row to learn from.
  for (const [places, spare] of [
    [quota, 0],
    [trainLeft, 1],
  ] as const) {
    for (const unit of sorted) {
      if (room <= 0) break
      if (held[units.rowsOf(unit)[0] ?? 0] === 0 && fits(unit, places, spare)) take(unit)
    }
  }
  return held
}

/** Number of rows to hold out: what the ratio says, within the least numbers of both sides. */
function targetOf(total: number, { trainRatio, minTrain, minHoldout }: SplitWish): number {
  const asked = Math.max(Math.round(total * (1 - trainRatio)), minHoldout)
  return Math.max(0, Math.min(asked, total - Math.max(minTrain, 1)))
}

interface Units {
  readonly count: number
  /** Units in the order of their hashes. */
  readonly inOrder: Uint32Array
  rowsOf(unit: number): Uint32Array
}

/** The groups as units; the rows of a unit are in the order of their hashes. */
function unitsOf({ hashes, groupOf }: SplitRows, order: Uint32Array, seed: string): Units {
  const total = groupOf.length
  const unitOf = new Uint32Array(total)
  const numbers = new Int32Array(total).fill(-1)
  let count = 0
  // The first row in the order of the hashes names its unit, whatever the order of the rows is.
  const speakers = new Uint32Array(total)
  for (const row of order) {
    const group = groupOf[row] ?? row
    if (numbers[group] === -1) {
      numbers[group] = count
      speakers[count++] = row
    }
    unitOf[row] = numbers[group] ?? 0
  }
  const starts = new Uint32Array(count + 1)
  for (const unit of unitOf) starts[unit + 1] = (starts[unit + 1] ?? 0) + 1
  for (let unit = 0; unit < count; unit++) starts[unit + 1] = (starts[unit + 1] ?? 0) + (starts[unit] ?? 0)
  const filled = starts.slice()
  const members = new Uint32Array(total)
  for (const row of order) {
    const unit = unitOf[row] ?? 0
    members[filled[unit] ?? 0] = row
    filled[unit] = (filled[unit] ?? 0) + 1
  }
  const keys = new Float64Array(count)
  for (let unit = 0; unit < count; unit++) {
    const at = (speakers[unit] ?? 0) * HASH_BYTES
    const text = `${seed} ${hashes.toString('hex', at, at + HASH_BYTES)}`
    keys[unit] = hash('sha256', text, 'buffer').readUIntBE(0, 6)
  }
  const inOrder = Uint32Array.from({ length: count }, (_, unit) => unit)
  // Units are numbered by the hashes of their rows, so equal keys leave no choice either.
  inOrder.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b)
  return { count, inOrder, rowsOf: (unit) => members.subarray(starts[unit] ?? 0, starts[unit + 1] ?? 0) }
}

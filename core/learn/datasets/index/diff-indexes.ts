import { HASH_BYTES, readRecord, countRecords, RECORD_BYTES } from './row-index.ts'
import { orderByHash } from '../split/choose-holdout.ts'

/** A row that two versions do not have alike: `place` counts in the later one, of removed rows in the earlier one. */
export interface ChangedRow {
  readonly change: 'added' | 'removed' | 'to_holdout' | 'to_train'
  readonly place: number
}

/** The difference between two versions. */
export interface IndexDiff {
  readonly kept: number
  readonly counts: Readonly<Record<ChangedRow['change'], number>>
  /** The first of the changed rows. */
  readonly changed: readonly ChangedRow[]
}

/**
 * Compares the rows of two versions by their hashes, and names the first `most` of the changed ones. Forgotten rows are in
 * neither.
 */
export function diffIndexes(before: Buffer, after: Buffer, most: number): IndexDiff {
  const [old, now] = [sortedPlaces(before), sortedPlaces(after)]
  const changed: ChangedRow[] = []
  const counts = { added: 0, removed: 0, to_holdout: 0, to_train: 0 }
  const note = (row: ChangedRow): void => {
    counts[row.change]++
    if (changed.length < most) changed.push(row)
  }
  let kept = 0
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    const [place, earlier] = [now[j], old[i]]
    const order = place === undefined ? 1 : earlier === undefined ? -1 : compareRows(after, place, before, earlier)
    if (order < 0 && place !== undefined) {
      note({ change: 'added', place })
      j++
    } else if (order > 0 && earlier !== undefined) {
      note({ change: 'removed', place: earlier })
      i++
    } else if (place !== undefined && earlier !== undefined) {
      kept++
      const [was, is] = [readRecord(before, earlier).isHeld, readRecord(after, place).isHeld]
      if (was !== is) note({ change: is ? 'to_holdout' : 'to_train', place })
      i++
      j++
    }
  }
  return { kept, counts, changed }
}

function sortedPlaces(index: Buffer): readonly number[] {
  const rows = countRecords(index)
  const hashes = Buffer.alloc(rows * HASH_BYTES)
  for (let row = 0; row < rows; row++) {
    index.copy(hashes, row * HASH_BYTES, row * RECORD_BYTES, row * RECORD_BYTES + HASH_BYTES)
  }
  return [...orderByHash(hashes)].filter((place) => !readRecord(index, place).isForgotten)
}

function compareRows(one: Buffer, place: number, other: Buffer, otherPlace: number): number {
  const [at, from] = [place * RECORD_BYTES, otherPlace * RECORD_BYTES]
  return one.compare(other, from, from + HASH_BYTES, at, at + HASH_BYTES)
}

/** Bytes of one row in an index. */
export const RECORD_BYTES = 64
/** Bytes of a row's hash. */
export const HASH_BYTES = 32
/** Bytes of the hash of an input. */
export const KEY_BYTES = 16

const KEY_AT = HASH_BYTES
const OFFSET_AT = KEY_AT + KEY_BYTES
const LENGTH_AT = OFFSET_AT + 6
const GROUP_AT = LENGTH_AT + 4
const FLAGS_AT = GROUP_AT + 4

/** Bits of the last used byte. */
const HELD = 1
const FORGOTTEN = 2
const GIVEN = 4

/**
 * A row in the index of a version (`svc-dataset-index-1`): 64 bytes with the hash of the row, the hash of its input, where
 * its line lies among the rows, its group and its side.
 */
export interface IndexRecord {
  readonly hash: Uint8Array
  /** First 16 bytes of the SHA-256 of the input's folded words: equal inputs stay on one side in all versions. */
  readonly key: Uint8Array
  readonly offset: number
  readonly length: number
  /** The first row of its group. */
  readonly group: number
  readonly isHeld: boolean
  /** True for a tombstone: the content is gone, the hash stays. */
  readonly isForgotten: boolean
  /** True for a row that its file states to be held out. */
  readonly isGivenHeld: boolean
}

/** Writes a record at a place of an index. */
export function writeRecord(bytes: Buffer, place: number, record: IndexRecord): void {
  const at = place * RECORD_BYTES
  bytes.set(record.hash, at)
  bytes.set(record.key, at + KEY_AT)
  bytes.writeUIntLE(record.offset, at + OFFSET_AT, 6)
  bytes.writeUInt32LE(record.length, at + LENGTH_AT)
  bytes.writeUInt32LE(record.group, at + GROUP_AT)
  bytes[at + FLAGS_AT] =
    (record.isHeld ? HELD : 0) | (record.isForgotten ? FORGOTTEN : 0) | (record.isGivenHeld ? GIVEN : 0)
}

/** Reads the record at a place of an index; its hashes share the memory of the index. */
export function readRecord(bytes: Buffer, place: number): IndexRecord {
  const at = place * RECORD_BYTES
  if (at < 0 || at + RECORD_BYTES > bytes.length) throw new RangeError(`the index has no row ${place}`)
  const flags = bytes[at + FLAGS_AT] ?? 0
  return {
    hash: bytes.subarray(at, at + HASH_BYTES),
    key: bytes.subarray(at + KEY_AT, at + KEY_AT + KEY_BYTES),
    offset: bytes.readUIntLE(at + OFFSET_AT, 6),
    length: bytes.readUInt32LE(at + LENGTH_AT),
    group: bytes.readUInt32LE(at + GROUP_AT),
    isHeld: (flags & HELD) !== 0,
    isForgotten: (flags & FORGOTTEN) !== 0,
    isGivenHeld: (flags & GIVEN) !== 0,
  }
}

/** Puts a row of an index on a side, in a group. */
export function placeRow(bytes: Buffer, place: number, { group, isHeld }: { group: number; isHeld: boolean }): void {
  const at = place * RECORD_BYTES
  bytes.writeUInt32LE(group, at + GROUP_AT)
  const flags = bytes[at + FLAGS_AT] ?? 0
  bytes[at + FLAGS_AT] = isHeld ? flags | HELD : flags & ~HELD
}

/** Returns the number of rows of an index. */
export function countRecords(bytes: Uint8Array): number {
  return bytes.length / RECORD_BYTES
}

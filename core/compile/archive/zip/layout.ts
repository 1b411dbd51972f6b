/** Size limits of an archive. They also bound the memory for reading it. */
export interface ArchiveLimits {
  readonly archiveBytes: number
  readonly memberBytes: number
  /** Members that may be larger, by name. */
  readonly largeMembers: Readonly<Record<string, number>>
  /** All members together, but for the large ones. */
  readonly totalBytes: number
  readonly entries: number
  /** Maximum expansion ratio of a member, beyond `ratioFreeBytes`. */
  readonly ratio: number
  /** Members up to this size are not held to the ratio: repetitive JSON shrinks a lot. */
  readonly ratioFreeBytes: number
}

const MEBIBYTE = 1024 * 1024

/** Largest weights of an adapter. Those of rank 64 on a base of a billion parameters have about 180 MiB. */
export const MOST_ADAPTER_BYTES = 240 * MEBIBYTE

/** The limits in force. */
export const ARCHIVE_LIMITS: ArchiveLimits = {
  archiveBytes: 256 * MEBIBYTE,
  memberBytes: 64 * MEBIBYTE,
  largeMembers: { 'adapter_model.safetensors': MOST_ADAPTER_BYTES },
  totalBytes: 128 * MEBIBYTE,
  entries: 1024,
  ratio: 200,
  ratioFreeBytes: 1024 * 1024,
}

/** Mode of every member: a regular file, rw-r--r--. */
export const MEMBER_MODE = 0o100644
/** A time that falls on 1980-01-01 00:00:00 of the DOS form in every time zone, since earlier ones are raised to it. */
export const MEMBER_TIME = new Date(0)

export const STORED = 0
export const DEFLATED = 8
export const LOCAL_HEADER_BYTES = 30
export const CENTRAL_RECORD_BYTES = 46
export const END_RECORD_BYTES = 22
export const LOCAL_SIGNATURE = 0x04034b50
export const END_SIGNATURE = 0x06054b50
export const ZIP64_LOCATOR_SIGNATURE = 0x07064b50
export const ZIP64_LOCATOR_BYTES = 20

const CENTRAL_SIGNATURE = 0x02014b50
const VERSION_MADE_BY = (3 << 8) | 63
const VERSION_NEEDED = 20
const NAME_IS_UTF8 = 0x800
const DOS_DATE = 0x21

/** The facts of an entry that its two headers are made of. */
export interface EntryFacts {
  readonly name: string
  readonly method: number
  readonly crc32: number
  readonly compressedBytes: number
  readonly sizeBytes: number
  readonly offset: number
}

/** The one local header an entry may have. */
export function localHeader(entry: EntryFacts): Buffer {
  const header = Buffer.alloc(LOCAL_HEADER_BYTES)
  header.writeUInt32LE(LOCAL_SIGNATURE, 0)
  writeShared(header, 4, entry)
  return Buffer.concat([header, Buffer.from(entry.name)])
}

/** The one central directory record an entry may have. */
export function centralRecord(entry: EntryFacts): Buffer {
  const record = Buffer.alloc(CENTRAL_RECORD_BYTES)
  record.writeUInt32LE(CENTRAL_SIGNATURE, 0)
  record.writeUInt16LE(VERSION_MADE_BY, 4)
  writeShared(record, 6, entry)
  record.writeUInt32LE((MEMBER_MODE << 16) >>> 0, 38)
  record.writeUInt32LE(entry.offset, 42)
  return Buffer.concat([record, Buffer.from(entry.name)])
}

/** The one end record an archive may have. */
export function endRecord(entries: number, directoryBytes: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(END_RECORD_BYTES)
  record.writeUInt32LE(END_SIGNATURE, 0)
  record.writeUInt16LE(entries, 8)
  record.writeUInt16LE(entries, 10)
  record.writeUInt32LE(directoryBytes, 12)
  record.writeUInt32LE(directoryOffset, 16)
  return record
}

/** The 26 bytes that both headers share, from `version needed` to the length of the extra field. */
function writeShared(target: Buffer, at: number, entry: EntryFacts): void {
  target.writeUInt16LE(VERSION_NEEDED, at)
  target.writeUInt16LE(NAME_IS_UTF8, at + 2)
  target.writeUInt16LE(entry.method, at + 4)
  target.writeUInt16LE(0, at + 6)
  target.writeUInt16LE(DOS_DATE, at + 8)
  target.writeUInt32LE(entry.crc32, at + 10)
  target.writeUInt32LE(entry.compressedBytes, at + 14)
  target.writeUInt32LE(entry.sizeBytes, at + 18)
  target.writeUInt16LE(Buffer.byteLength(entry.name), at + 22)
}

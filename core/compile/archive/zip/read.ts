import { promisify } from 'node:util'
import { crc32, inflateRaw, inflateRawSync } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { DomainError } from '../../../kernel/errors.ts'
import { checkEntryHeader, checkNames, entryName } from './entry-checks.ts'
import {
  ARCHIVE_LIMITS,
  centralRecord,
  CENTRAL_RECORD_BYTES,
  END_RECORD_BYTES,
  END_SIGNATURE,
  endRecord,
  LOCAL_HEADER_BYTES,
  LOCAL_SIGNATURE,
  localHeader,
  STORED,
  ZIP64_LOCATOR_BYTES,
  ZIP64_LOCATOR_SIGNATURE,
  type ArchiveLimits,
  type EntryFacts,
} from './layout.ts'
import { refuse } from './refusal.ts'

const inflate: (data: Uint8Array, options: object) => Promise<unknown> = promisify(inflateRaw)
/** Members up to this size are inflated at once: handing one to another thread takes longer. */
const AT_ONCE_BYTES = 64 * 1024
const MAX_UINT16 = 0xffff
const MAX_UINT32 = 0xffffffff

/** A member in its form in the zip. */
export interface ReadMember extends EntryFacts {
  readonly bytes: Uint8Array
}

/**
 * Reads an untrusted zip. Only the exact layout of `writeZip` is accepted, and every byte outside the compressed data
 * is compared with it, so that all readers see the same members. Throws `invalid_archive` with `details.reason`; memory
 * stays within the limits.
 */
export async function readZip(
  bytes: Uint8Array,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<readonly ReadMember[]> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = readEnd(data, limits)
  const entries = await readEntries(data, limits)
  const names = entries.map((entry) => entryName(entry.raw))
  checkNames(names)
  const facts = entries.map((entry, index) => checkEntryHeader(entry.raw, names[index] ?? '', limits))
  checkTotals(facts, limits)
  for (const [index, entry] of entries.entries()) {
    const fact = facts[index]
    if (fact !== undefined) await checkLocalHeader(data, entry, fact)
  }
  checkLayout(data, facts, end)
  const members: ReadMember[] = []
  for (const fact of facts) members.push({ ...fact, bytes: await inflateMember(data, fact) })
  return members
}

interface EndFacts {
  readonly entries: number
  readonly directoryBytes: number
  readonly directoryOffset: number
}

function readEnd(data: Buffer, limits: ArchiveLimits): EndFacts {
  if (data.length > limits.archiveBytes) throw refuse('archive_too_large')
  if (data.length < END_RECORD_BYTES) throw refuse('not_a_zip')
  const at = data.length - END_RECORD_BYTES
  if (data.readUInt32LE(at) !== END_SIGNATURE || data.readUInt16LE(at + 20) !== 0) {
    const hasEnd = data.includes(Buffer.from([0x50, 0x4b, 5, 6]))
    throw refuse(hasEnd ? 'trailing_data' : 'not_a_zip')
  }
  const [disk, directoryDisk, onDisk, entries] = [4, 6, 8, 10].map((field) => data.readUInt16LE(at + field))
  const directoryBytes = data.readUInt32LE(at + 12)
  const directoryOffset = data.readUInt32LE(at + 16)
  const locatorAt = at - ZIP64_LOCATOR_BYTES
  const hasLocator = locatorAt >= 0 && data.readUInt32LE(locatorAt) === ZIP64_LOCATOR_SIGNATURE
  if (hasLocator || entries === MAX_UINT16 || directoryBytes === MAX_UINT32 || directoryOffset === MAX_UINT32) {
    throw refuse('zip64')
  }
  if (disk !== 0 || directoryDisk !== 0 || onDisk !== entries) throw refuse('multi_disk')
  if (entries === undefined || entries === 0) throw refuse('missing_member')
  if (entries > limits.entries) throw refuse('too_many_entries')
  if (data.readUInt32LE(0) !== LOCAL_SIGNATURE) throw refuse('prepended_data')
  if (directoryOffset + directoryBytes !== at) throw refuse('hidden_data')
  return { entries, directoryBytes, directoryOffset }
}

interface OpenEntry {
  readonly raw: Entry
  readonly zip: ZipFile
}

async function readEntries(data: Buffer, limits: ArchiveLimits): Promise<OpenEntry[]> {
  const entries: OpenEntry[] = []
  try {
    // Names stay bytes here: they are checked as strict UTF-8 below, and no extra field may replace them.
    const zip = await yauzl.fromBufferPromise(data, { decodeStrings: false, validateEntrySizes: false })
    for await (const raw of zip.eachEntry()) {
      entries.push({ raw, zip })
      if (entries.length > limits.entries) throw refuse('too_many_entries')
    }
  } catch (error) {
    throw error instanceof DomainError ? error : refuse('malformed_zip', { cause: error })
  }
  return entries
}

function checkTotals(facts: readonly EntryFacts[], limits: ArchiveLimits): void {
  const ordinary = facts.filter(({ name }) => limits.largeMembers[name] === undefined)
  const total = ordinary.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (total > limits.totalBytes) throw refuse('total_too_large')
}

async function checkLocalHeader(data: Buffer, { raw, zip }: OpenEntry, fact: EntryFacts): Promise<void> {
  const member = fact.name
  let local
  try {
    local = await zip.readLocalFileHeaderPromise(raw)
  } catch (error) {
    throw refuse('malformed_zip', { member, cause: error })
  }
  const agrees =
    local.fileName.equals(Buffer.from(fact.name)) &&
    local.compressionMethod === fact.method &&
    local.crc32 === fact.crc32 &&
    local.compressedSize === fact.compressedBytes &&
    local.uncompressedSize === fact.sizeBytes
  if (!agrees) throw refuse('header_mismatch', { member })
  const expected = localHeader(fact)
  if (!data.subarray(fact.offset, fact.offset + expected.length).equals(expected)) {
    throw refuse('nonstandard_header', { member })
  }
}

function checkLayout(data: Buffer, facts: readonly EntryFacts[], end: EndFacts): void {
  let cursor = 0
  for (const fact of facts) {
    if (fact.offset !== cursor) {
      throw refuse(fact.offset < cursor ? 'overlapping_entries' : 'hidden_data', { member: fact.name })
    }
    cursor = dataStart(fact) + fact.compressedBytes
  }
  if (cursor !== end.directoryOffset) {
    throw refuse(cursor > end.directoryOffset ? 'overlapping_entries' : 'hidden_data')
  }
  for (const fact of facts) {
    const record = centralRecord(fact)
    if (!data.subarray(cursor, cursor + record.length).equals(record)) {
      throw refuse('nonstandard_header', { member: fact.name })
    }
    cursor += CENTRAL_RECORD_BYTES + Buffer.byteLength(fact.name)
  }
  if (!data.subarray(cursor).equals(endRecord(facts.length, end.directoryBytes, end.directoryOffset))) {
    throw refuse('nonstandard_header')
  }
}

function dataStart(fact: EntryFacts): number {
  return fact.offset + LOCAL_HEADER_BYTES + Buffer.byteLength(fact.name)
}

async function inflateMember(data: Buffer, fact: EntryFacts): Promise<Uint8Array> {
  const member = fact.name
  const start = dataStart(fact)
  const compressed = data.subarray(start, start + fact.compressedBytes)
  const bytes = fact.method === STORED ? compressed : await inflateExactly(compressed, fact)
  if (bytes.byteLength !== fact.sizeBytes) throw refuse('corrupt_data', { member })
  if (crc32(bytes) !== fact.crc32) throw refuse('checksum_mismatch', { member })
  // A plain Uint8Array: `slice` of a Buffer shares its memory, which callers do not expect of bytes.
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Inflates at most the stated size, and refuses bytes behind the end of the compressed stream. */
async function inflateExactly(compressed: Buffer, fact: EntryFacts): Promise<Uint8Array> {
  let result: unknown
  try {
    const options = { maxOutputLength: Math.max(fact.sizeBytes, 1), info: true }
    result = fact.sizeBytes <= AT_ONCE_BYTES ? inflateRawSync(compressed, options) : await inflate(compressed, options)
  } catch (error) {
    throw refuse('corrupt_data', { member: fact.name, cause: error })
  }
  const { buffer, consumedBytes } = inflated(result)
  if (buffer === undefined || consumedBytes !== compressed.length) throw refuse('corrupt_data', { member: fact.name })
  return buffer
}

/** Result of zlib with `info: true`: the output, and the engine with the number of bytes read. */
function inflated(result: unknown): { buffer?: Uint8Array; consumedBytes?: number } {
  if (typeof result !== 'object' || result === null || !('buffer' in result) || !('engine' in result)) return {}
  const { buffer, engine } = result
  if (!(buffer instanceof Uint8Array) || typeof engine !== 'object' || engine === null) return {}
  if (!('bytesWritten' in engine) || typeof engine.bytesWritten !== 'number') return {}
  return { buffer, consumedBytes: engine.bytesWritten }
}

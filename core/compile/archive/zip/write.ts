import { promisify } from 'node:util'
import { crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import { ARCHIVE_LIMITS, centralRecord, DEFLATED, endRecord, localHeader, STORED, type EntryFacts } from './layout.ts'

const deflate = promisify(deflateRaw)
const LEVEL = 9
/** Members up to this size are compressed at once: handing one to another thread takes longer. */
const AT_ONCE_BYTES = 64 * 1024

/** One file of a zip. `stored` keeps it uncompressed. */
export interface ZipMember {
  readonly name: string
  readonly bytes: Uint8Array
  readonly stored?: boolean
}

/** A member as it lies in a zip, wherever in it. */
export interface PackedMember extends Omit<EntryFacts, 'offset'> {
  /** Its bytes, compressed as `method` says. */
  readonly data: Uint8Array
}

/**
 * Writes a zip whose bytes depend only on its members and their order (and the zlib of this Node): fixed times and
 * modes, sizes known up front, no extra fields.
 */
export async function writeZip(members: readonly ZipMember[]): Promise<Buffer> {
  return joinZip(await packMembers(members))
}

/**
 * Compresses members for `joinZip`. A member whose compression ratio would make readers take it for a bomb is stored
 * uncompressed.
 */
export async function packMembers(members: readonly ZipMember[]): Promise<readonly PackedMember[]> {
  const packed: PackedMember[] = []
  for (const member of members) packed.push(await packMember(member))
  return packed
}

async function packMember({ name, bytes, stored = false }: ZipMember): Promise<PackedMember> {
  const sizeBytes = bytes.byteLength
  const facts = { name, crc32: crc32(bytes), sizeBytes }
  const small = stored ? bytes : await compress(bytes)
  const isStored = stored || shrinksTooFar(sizeBytes, small.byteLength)
  const data = isStored ? bytes : small
  return { ...facts, method: isStored ? STORED : DEFLATED, compressedBytes: data.byteLength, data }
}

async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.byteLength <= AT_ONCE_BYTES) return deflateRawSync(bytes, { level: LEVEL })
  return await deflate(bytes, { level: LEVEL })
}

function shrinksTooFar(sizeBytes: number, compressedBytes: number): boolean {
  return sizeBytes > ARCHIVE_LIMITS.ratioFreeBytes && sizeBytes > compressedBytes * ARCHIVE_LIMITS.ratio
}

/** Returns the bytes of members before the directory of their zip: each header with its data. */
export function joinMembers(members: readonly PackedMember[]): Buffer {
  return Buffer.concat(members.flatMap((member) => [localHeader({ ...member, offset: 0 }), member.data]))
}

/** Returns the zip of packed members, in their order. */
export function joinZip(members: readonly PackedMember[]): Buffer {
  const records = joinMembers(members)
  let offset = 0
  const directory = Buffer.concat(
    members.map((member) => {
      const record = centralRecord({ ...member, offset })
      offset += localHeader({ ...member, offset }).byteLength + member.data.byteLength
      return record
    }),
  )
  return Buffer.concat([records, directory, endRecord(members.length, directory.byteLength, records.byteLength)])
}

import { crc32, deflateRawSync } from 'node:zlib'
import { centralRecord, endRecord, localHeader, type EntryFacts } from '../../../../core/compile/archive/zip/layout.ts'
import { readZip } from '../../../../core/compile/archive/zip/read.ts'

/** A member of a zip that is put together by hand, with whatever is wrong about it. */
export interface RawMember {
  readonly name: string
  readonly bytes: Uint8Array
  readonly stored?: boolean
  /** Changes the local header and the directory record after they were made. */
  readonly patch?: (local: Buffer, central: Buffer) => void
  /** False values of the headers. */
  readonly claims?: Partial<EntryFacts>
}

/** Puts a zip together in the layout of archives, and lets members lie. */
export function rawZip(members: readonly RawMember[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes, stored, patch, claims } of members) {
    const data = stored === true ? Buffer.from(bytes) : deflateRawSync(bytes, { level: 9 })
    const truth: EntryFacts = {
      name,
      method: stored === true ? 0 : 8,
      crc32: crc32(bytes),
      compressedBytes: data.length,
      sizeBytes: bytes.byteLength,
      offset,
    }
    const local = localHeader({ ...truth, ...claims })
    const central = centralRecord({ ...truth, ...claims })
    patch?.(local, central)
    parts.push(local, data)
    directory.push(central)
    offset += local.length + data.length
  }
  const size = directory.reduce((sum, record) => sum + record.length, 0)
  return Buffer.concat([...parts, ...directory, endRecord(members.length, size, offset)])
}

/** The members of a good archive, to be put together again differently. */
export async function membersOf(archive: Uint8Array): Promise<RawMember[]> {
  return (await readZip(archive)).map(({ name, bytes, method }) => ({ name, bytes, stored: method === 0 }))
}

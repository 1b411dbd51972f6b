import { crc32 } from 'node:zlib'
import { inSlices } from '../../kernel/threads/fair/in-slices.ts'
import type { NewCapture } from './capture.ts'

/** Bytes before a record: its length and its CRC-32, both as big-endian 32 bits. */
const HEADER_BYTES = 8

/** Stands before a packed content: JSON has no such byte. */
const PACKED = 0
const SEPARATOR = Buffer.from([PACKED])
/** A capture as a record of a spill file. */
export function encodeCapture(capture: NewCapture): Uint8Array {
  const payload = Buffer.from(JSON.stringify(capture))
  return Buffer.concat([headerOf(payload.length, crc32(payload)), payload])
}

/** The same of a capture with a packed content, in parts, made while the event loop turns. */
export async function encodePacked({ packed = [], ...capture }: NewCapture): Promise<readonly Uint8Array[]> {
  const payload = [Buffer.from(JSON.stringify(capture)), SEPARATOR, ...packed]
  let sum = 0
  await inSlices(payload, (part) => {
    sum = crc32(part, sum)
  })
  return [headerOf(bytesIn(payload), sum), ...payload]
}

/** The bytes of all parts. */
export function bytesIn(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

function headerOf(length: number, sum: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(length, 0)
  header.writeUInt32BE(sum, 4)
  return header
}

/** The records of a spill file. */
export interface DecodedSpill {
  readonly captures: readonly NewCapture[]
  /** Bytes at the end that are no whole record: the process ended while it wrote them, and acknowledged nothing of them. */
  readonly tornBytes: number
}

/** Reads the records of a spill file up to the first that is cut off or does not match its checksum. */
export function decodeSpill(bytes: Uint8Array): DecodedSpill {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const captures: NewCapture[] = []
  let at = 0
  while (at + HEADER_BYTES <= file.length) {
    const end = at + HEADER_BYTES + file.readUInt32BE(at)
    if (end > file.length) break
    const payload = file.subarray(at + HEADER_BYTES, end)
    if (crc32(payload) !== file.readUInt32BE(at + 4)) break
    captures.push(revive(payload))
    at = end
  }
  return { captures, tornBytes: file.length - at }
}

function revive(payload: Buffer): NewCapture {
  const end = payload.indexOf(PACKED)
  const capture = JSON.parse(payload.toString('utf8', 0, end === -1 ? payload.length : end)) as NewCapture
  const facts = { ...capture.facts, at: new Date(capture.facts.at) }
  return { ...capture, facts, ...(end !== -1 && { packed: [payload.subarray(end + 1)] }) }
}

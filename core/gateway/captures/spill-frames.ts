import { crc32 } from 'node:zlib'
import type { NewCapture } from './capture.ts'

/** Bytes before a record: its length and its CRC-32, both as big-endian 32 bits. */
const HEADER_BYTES = 8

/** A capture as a record of a spill file. */
export function encodeCapture(capture: NewCapture): Uint8Array {
  const payload = Buffer.from(JSON.stringify(capture))
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(payload.length, 0)
  header.writeUInt32BE(crc32(payload), 4)
  return Buffer.concat([header, payload])
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
    captures.push(revive(payload.toString('utf8')))
    at = end
  }
  return { captures, tornBytes: file.length - at }
}

function revive(text: string): NewCapture {
  const capture = JSON.parse(text) as NewCapture
  return { ...capture, facts: { ...capture.facts, at: new Date(capture.facts.at) } }
}

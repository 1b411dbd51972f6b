import type { JsonObject } from '../../../kernel/json/json.ts'
import { Refusal } from '../verdict.ts'

/** Bytes of an attestation report of SEV-SNP (AMD document 56860, table "ATTESTATION_REPORT"). */
export const REPORT_BYTES = 0x4a0
/** Bytes that the signature covers. */
const SIGNED_BYTES = 0x2a0
/** Bytes of each of the two numbers of a signature, little-endian; those above 48 are zero. */
const NUMBER_BYTES = 72
const COORDINATE_BYTES = 48
const ECDSA_P384_SHA384 = 1
const VERSIONS = [2, 3, 4, 5]
/** Bit of the guest policy that allows a debugger. */
const DEBUG_BIT = 1n << 19n
/** CPU family from which the fields of the TCB stand in another order. */
const TURIN_FAMILY = 0x1a

/** The fields of a report that its verification reads. */
export interface SnpReport {
  readonly signed: Buffer
  /** r and s, big-endian, 48 bytes each. */
  readonly signature: Buffer
  readonly reportData: Buffer
  readonly measurement: Buffer
  readonly chipId: Buffer
  readonly allowsDebug: boolean
  /** Security levels of the reported TCB, by the number of their extension in a VCEK. */
  readonly levels: ReadonlyMap<number, number>
  readonly decoded: JsonObject
}

/**
 * Reads a report. Throws `Refusal` for another length, version or algorithm, for another signing key than a VCEK, and
 * for bytes that are not zero where the format has none.
 */
export function readSnpReport(raw: Buffer): SnpReport {
  if (raw.length > REPORT_BYTES) throw new Refusal('trailing_bytes')
  if (raw.length < REPORT_BYTES) throw new Refusal('report_too_short')
  const version = raw.readUInt32LE(0)
  if (!VERSIONS.includes(version)) throw new Refusal('unknown_report_version')
  if (raw.readUInt32LE(0x34) !== ECDSA_P384_SHA384) throw new Refusal('unknown_signature_algorithm')
  if (((raw.readUInt32LE(0x48) >> 2) & 7) !== 0) throw new Refusal('not_signed_by_a_vcek')
  const hex = (from: number, bytes: number): string => raw.toString('hex', from, from + bytes)
  const policy = raw.readBigUInt64LE(8)
  const tcb = raw.subarray(0x180, 0x188)
  return {
    signed: raw.subarray(0, SIGNED_BYTES),
    signature: readSignature(raw.subarray(SIGNED_BYTES)),
    reportData: raw.subarray(0x50, 0x90),
    measurement: raw.subarray(0x90, 0xc0),
    chipId: raw.subarray(0x1a0, 0x1e0),
    allowsDebug: (policy & DEBUG_BIT) !== 0n,
    levels: levelsOf(tcb, version >= 3 ? raw.readUInt8(0x188) : 0),
    decoded: {
      version,
      guest_svn: raw.readUInt32LE(4),
      policy: `0x${policy.toString(16)}`,
      family_id: hex(0x10, 16),
      image_id: hex(0x20, 16),
      vmpl: raw.readUInt32LE(0x30),
      report_data: hex(0x50, 64),
      measurement: hex(0x90, 48),
      host_data: hex(0xc0, 32),
      id_key_digest: hex(0xe0, 48),
      author_key_digest: hex(0x110, 48),
      report_id: hex(0x140, 32),
      reported_tcb: hex(0x180, 8),
      chip_id: hex(0x1a0, 64),
    },
  }
}

function readSignature(bytes: Buffer): Buffer {
  const numbers = [0, NUMBER_BYTES].map((start) => bytes.subarray(start, start + NUMBER_BYTES))
  const unused = [...numbers.map((number) => number.subarray(COORDINATE_BYTES)), bytes.subarray(2 * NUMBER_BYTES)]
  if (unused.some((part) => part.some((byte) => byte !== 0))) {
    throw new Refusal('signature_malformed', { check: 'signature' })
  }
  return Buffer.concat(numbers.map((number) => Buffer.from(number.subarray(0, COORDINATE_BYTES)).reverse()))
}

/** Numbers of the extensions: 1 boot loader, 2 TEE, 3 SNP, 8 microcode, 9 FMC. */
function levelsOf(tcb: Buffer, family: number): ReadonlyMap<number, number> {
  const places: readonly (readonly [number, number])[] =
    family >= TURIN_FAMILY
      ? [
          [9, 0],
          [1, 1],
          [2, 2],
          [3, 3],
          [8, 7],
        ]
      : [
          [1, 0],
          [2, 1],
          [3, 6],
          [8, 7],
        ]
  return new Map(places.map(([extension, place]) => [extension, tcb.readUInt8(place)]))
}

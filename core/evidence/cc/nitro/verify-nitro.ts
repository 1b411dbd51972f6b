import type { JsonObject } from '../../../kernel/json/json.ts'
import { readBase64 } from '../bytes.ts'
import { type Anchors, findPath, openCertificate, requireValidity } from '../certificates.ts'
import { isSignedBy } from '../p384.ts'
import { type BytesVerdict, Checks, type Expectations, Refusal } from '../verdict.ts'
import { readSign1 } from './cose.ts'
import { type NitroDocument, readNitroDocument } from './document.ts'

const MOST_RAW_BYTES = 32 * 1024
/** A document may seem to be made so long after now: clocks differ. */
const CLOCK_TOLERANCE_MS = 300_000

/**
 * Verifies the bytes of a Nitro enclave's attestation document: ES384 under its certificate, that one under the pinned
 * root through the bundle, validity, nonce, and registers. A text as the measurement is register 0.
 */
export async function verifyNitroDocument(
  report: JsonObject,
  expected: Expectations,
  anchors: Anchors,
  now: Date,
): Promise<BytesVerdict> {
  const checks = new Checks()
  try {
    const raw = readBase64(typeof report['raw'] === 'string' ? report['raw'] : '', MOST_RAW_BYTES, 'raw_malformed')
    const { signed, payload, signature } = readSign1(raw)
    const document = readNitroDocument(payload)
    const leaf = openCertificate(document.certificate)
    checks.require('signature', await isSignedBy(leaf.publicKey, signed, signature), 'signature_invalid')
    const path = findPath(leaf, document.bundle.map(openCertificate), anchors)
    checks.require('chain', true, '')
    requireValidity(path, now)
    if (document.timestampMs > now.getTime() + CLOCK_TOLERANCE_MS) {
      throw new Refusal('report_not_yet_valid', { check: 'validity' })
    }
    checks.require('validity', true, '')
    if (isDebug(document)) throw new Refusal('debug_allowed', { check: 'measurement' })
    const open = compare(checks, document, expected)
    return checks.conclude(document.decoded, open)
  } catch (error) {
    return checks.refused(error)
  }
}

/** An enclave in debug mode has zeros in place of its measurements. */
function isDebug({ registers }: NitroDocument): boolean {
  return registers.get(0)?.every((byte) => byte === 0) ?? true
}

function compare(checks: Checks, document: NitroDocument, { nonce, measurement }: Expectations): string | undefined {
  if (nonce !== undefined) {
    checks.require('nonce', document.nonce?.toString('hex') === nonce, 'nonce_mismatch')
  }
  if (measurement !== undefined) {
    const wanted = Object.entries(typeof measurement === 'string' ? { 0: measurement } : measurement)
    const isSame = wanted.every(([index, value]) => document.registers.get(Number(index))?.toString('hex') === value)
    checks.require('measurement', wanted.length > 0 && isSame, 'measurement_mismatch')
  }
  if (nonce === undefined) return 'nonce_not_given'
  return measurement === undefined ? 'measurement_not_given' : undefined
}

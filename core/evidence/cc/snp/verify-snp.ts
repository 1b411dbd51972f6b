import type { JsonObject } from '../../../kernel/json/json.ts'
import { readBase64 } from '../bytes.ts'
import { type Anchors, findPath, readCertificates, requireValidity } from '../certificates.ts'
import { isSignedBy } from '../p384.ts'
import { type BytesVerdict, Checks, type Expectations, Refusal } from '../verdict.ts'
import { readSnpReport, REPORT_BYTES, type SnpReport } from './layout.ts'
import { requireSameChip } from './vcek.ts'

const MOST_RAW_BYTES = 4 * REPORT_BYTES

/**
 * Verifies the bytes of an SEV-SNP report: ECDSA P-384 under the VCEK (the first of `certificates`), VCEK under ASK and
 * ARK, whose root the operator pins, the chip and security levels of the VCEK, validity, nonce and measurement. The
 * nonce is the start of `report_data`; what follows it is zero.
 */
export async function verifySnpReport(
  report: JsonObject,
  expected: Expectations,
  anchors: Anchors,
  now: Date,
): Promise<BytesVerdict> {
  const checks = new Checks()
  try {
    const raw = readBase64(typeof report['raw'] === 'string' ? report['raw'] : '', MOST_RAW_BYTES, 'raw_malformed')
    const snp = readSnpReport(raw)
    const [vcek, ...others] = readCertificates(report['certificates'])
    if (vcek === undefined) throw new Refusal('vcek_missing', { check: 'chain' })
    checks.require('signature', await isSignedBy(vcek.publicKey, snp.signed, snp.signature), 'signature_invalid')
    const path = findPath(vcek, others, anchors)
    requireSameChip(vcek, snp)
    checks.require('chain', true, '')
    requireValidity(path, now)
    checks.require('validity', true, '')
    if (snp.allowsDebug) throw new Refusal('debug_allowed', { check: 'measurement' })
    const open = compare(checks, snp, expected)
    return checks.conclude(snp.decoded, open)
  } catch (error) {
    return checks.refused(error)
  }
}

/** Compares what the caller expects; returns the first expectation that is missing. */
function compare(checks: Checks, snp: SnpReport, { nonce, measurement }: Expectations): string | undefined {
  if (nonce !== undefined) {
    const padded = Buffer.alloc(snp.reportData.length)
    const isShort = Buffer.from(nonce, 'hex').copy(padded) * 2 === nonce.length
    checks.require('nonce', isShort && padded.equals(snp.reportData), 'nonce_mismatch')
  }
  if (measurement !== undefined) {
    const isSame = typeof measurement === 'string' && measurement === snp.measurement.toString('hex')
    checks.require('measurement', isSame, 'measurement_mismatch')
  }
  if (nonce === undefined) return 'nonce_not_given'
  return measurement === undefined ? 'measurement_not_given' : undefined
}

import { createPublicKey } from 'node:crypto'
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { readCertificates, requireValidity } from '../certificates.ts'
import type { CcRoots } from '../roots.ts'
import { type BytesVerdict, Checks, type Expectations, Refusal } from '../verdict.ts'

const MOST_TOKEN_CHARS = 64 * 1024
/** Three parts in base64url; the signature of ES384 has 96 bytes. */
const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{128}$/
const CLOCK_TOLERANCE_S = 60

type PinnedKeys = NonNullable<CcRoots['nras']>

/**
 * Verifies a token of NVIDIA's attestation service: ES384 under a pinned key of its JWKS, the certificates of that key
 * where the report has them, times, `eat_nonce`, and the result of its measurements. A token that does not state that debug
 * mode is off and secure boot on is refused. With an expected measurement the token stays `unverified`.
 */
export async function verifyNrasToken(
  report: JsonObject,
  expected: Expectations,
  pinned: PinnedKeys,
  now: Date,
): Promise<BytesVerdict> {
  const checks = new Checks()
  try {
    const token = report['attestation_report']
    if (typeof token !== 'string' || token.length > MOST_TOKEN_CHARS || !TOKEN.test(token)) {
      throw new Refusal('token_malformed')
    }
    const { claims, kid } = await openToken(token, pinned, now)
    checks.require('signature', true, '')
    checkCertificates(report, kid, pinned, now)
    checks.require('chain', true, '')
    checks.require('validity', true, '')
    requireSameFields(report, claims)
    const nonce = typeof claims['eat_nonce'] === 'string' ? claims['eat_nonce'].toLowerCase() : undefined
    if (expected.nonce !== undefined) checks.require('nonce', nonce === expected.nonce, 'nonce_mismatch')
    if (!isMeasured(claims)) throw new Refusal('measurement_mismatch', { check: 'measurement' })
    // A token holds the service's result of a comparison and no measurement, so nothing here compares with an expected one.
    if (expected.measurement !== undefined) return checks.conclude(describe(claims), 'measurement_not_comparable')
    checks.require('measurement', true, '')
    return checks.conclude(describe(claims), expected.nonce === undefined ? 'nonce_not_given' : undefined)
  } catch (error) {
    return checks.refused(error)
  }
}

async function openToken(token: string, { keys, revoked }: PinnedKeys, now: Date) {
  const keySet = createLocalJWKSet({ keys: keys.map((key) => ({ ...key })) })
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keySet, {
      algorithms: ['ES384'],
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ['exp', 'iat'],
    })
    const { kid } = protectedHeader
    if (kid === undefined) throw new Refusal('key_not_named', { check: 'signature' })
    if (revoked.has(kid)) throw new Refusal('key_revoked', { state: 'revoked', check: 'chain' })
    const issuedAtMs = (payload.iat ?? 0) * 1000
    if (issuedAtMs > now.getTime() + CLOCK_TOLERANCE_S * 1000) {
      throw new Refusal('report_not_yet_valid', { check: 'validity' })
    }
    return { claims: payload, kid }
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (error instanceof errors.JWTExpired) throw new Refusal('token_expired', { state: 'expired', check: 'validity' })
    if (error instanceof errors.JWTClaimValidationFailed) throw new Refusal('token_not_valid', { check: 'validity' })
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      throw new Refusal('signature_invalid', { check: 'signature' })
    }
    if (error instanceof errors.JWKSNoMatchingKey) throw new Refusal('key_not_pinned', { check: 'chain' })
    if (error instanceof errors.JOSEError) throw new Refusal('token_malformed')
    throw error
  }
}

/** The first certificate of a report's chain has the key that signed, and each is issued by the next. */
function checkCertificates(report: JsonObject, kid: string, { keys }: PinnedKeys, now: Date): void {
  const chain = readCertificates(report['cert_chain'])
  const [leaf] = chain
  if (leaf === undefined) return
  const key = keys.find((each) => each.kid === kid)
  const isSame = key !== undefined && createPublicKey({ key: { ...key }, format: 'jwk' }).equals(leaf.publicKey)
  if (!isSame) throw new Refusal('certificate_of_another_key', { check: 'chain' })
  for (const [index, certificate] of chain.slice(0, -1).entries()) {
    const issuer = chain[index + 1]
    if (issuer === undefined || !certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
      throw new Refusal('chain_broken', { check: 'chain' })
    }
  }
  requireValidity(chain, now)
}

/** Claims that the fields of a report repeat. */
const REPEATED: Readonly<Record<string, string>> = {
  gpu_id: 'ueid',
  driver_version: 'x-nvidia-gpu-driver-version',
  vbios_version: 'x-nvidia-gpu-vbios-version',
}

function requireSameFields(report: JsonObject, claims: JWTPayload): void {
  for (const [field, claim] of Object.entries(REPEATED)) {
    const stated = claims[claim]
    if (stated !== undefined && report[field] !== undefined && stated !== report[field]) {
      throw new Refusal(`field_mismatch:${field}`)
    }
  }
}

/** The service compared the measurements with the reference values of the vendor; its result is a claim. */
function isMeasured(claims: JWTPayload): boolean {
  const isLocked = claims['dbgstat'] === 'disabled' && claims['secboot'] === true
  return isLocked && (claims['measres'] === 'success' || claims['x-nvidia-overall-att-result'] === true)
}

function describe(claims: JWTPayload): JsonObject {
  const names = [
    'iss',
    'iat',
    'exp',
    'eat_nonce',
    'hwmodel',
    'measres',
    'dbgstat',
    'secboot',
    ...Object.values(REPEATED),
  ]
  const shown = names.flatMap((name): [string, Json][] => {
    const value = claims[name]
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : []
  })
  return Object.fromEntries(shown)
}

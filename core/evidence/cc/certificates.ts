import { X509Certificate } from 'node:crypto'
import type { Json } from '../../kernel/json/json.ts'
import { readBase64 } from './bytes.ts'
import { Refusal } from './verdict.ts'

/** A certificate in DER may have so many bytes. */
const MOST_CERTIFICATE_BYTES = 8192
/** Certificates that a report may bring. */
const MOST_CERTIFICATES = 8
/** Certificates from a leaf to its root. */
const LONGEST_PATH = 6

/** Opens a certificate in DER. Throws `Refusal` when it is none, or when bytes follow it. */
export function openCertificate(der: Uint8Array): X509Certificate {
  if (der.byteLength > MOST_CERTIFICATE_BYTES) throw new Refusal('certificate_too_long', { check: 'chain' })
  try {
    const certificate = new X509Certificate(der)
    // Its key is decoded on use: a broken one is a broken certificate.
    if (certificate.raw.equals(der) && certificate.publicKey.type === 'public') return certificate
  } catch {
    // Falls through: the message of the library helps no caller.
  }
  throw new Refusal('certificate_malformed', { check: 'chain' })
}

/** Reads a list of certificates, each PEM or DER in base64. Throws `Refusal`. */
export function readCertificates(list: Json | undefined): readonly X509Certificate[] {
  if (list === undefined) return []
  if (!Array.isArray(list) || list.length > MOST_CERTIFICATES) throw new Refusal('certificates_malformed')
  return list.map((each: Json) => {
    // In PEM, a certificate takes a third more than its bytes, line ends and markers.
    if (typeof each !== 'string' || each.length > 2 * MOST_CERTIFICATE_BYTES)
      throw new Refusal('certificates_malformed')
    const pem = /^-----BEGIN CERTIFICATE-----(?=\s)([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(each)?.[1]
    const text = pem === undefined ? each : pem.replaceAll(/\s/g, '')
    return openCertificate(readBase64(text, MOST_CERTIFICATE_BYTES, 'certificates_malformed'))
  })
}

/** Certificates that the operator trusts, and those that may stand between. */
export interface Anchors {
  readonly roots: readonly X509Certificate[]
  readonly intermediates: readonly X509Certificate[]
  /** SHA-256 fingerprints, lower-case hex, of certificates that are no longer trusted. */
  readonly revoked: ReadonlySet<string>
}

/** Returns a certificate's SHA-256 fingerprint as lower-case hex digits. */
export function fingerprintOf(certificate: X509Certificate): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase()
}

/**
 * Finds the path from a leaf to a pinned root by names and signatures. Throws `Refusal`: `untrusted_root` where there is
 * none, `certificate_revoked` where one of the path is revoked.
 */
export function findPath(
  leaf: X509Certificate,
  given: readonly X509Certificate[],
  anchors: Anchors,
): readonly X509Certificate[] {
  const pool = [...given, ...anchors.intermediates]
  const path = [leaf]
  for (let current = leaf; path.length < LONGEST_PATH;) {
    const below = current
    const root = anchors.roots.find((each) => hasIssued(each, below))
    if (root !== undefined) {
      const whole = path.at(-1)?.raw.equals(root.raw) === true ? path : [...path, root]
      refuseRevoked(whole, anchors.revoked)
      return whole
    }
    const issuer = pool.find(
      (each) => each.ca && !path.some((one) => one.raw.equals(each.raw)) && hasIssued(each, below),
    )
    if (issuer === undefined) break
    path.push(issuer)
    current = issuer
  }
  throw new Refusal('untrusted_root', { check: 'chain' })
}

/** Checks that every certificate of a path is valid at a time. Throws `Refusal`. */
export function requireValidity(path: readonly X509Certificate[], now: Date): void {
  for (const { validFromDate, validToDate } of path) {
    if (now > validToDate) throw new Refusal('certificate_expired', { state: 'expired', check: 'validity' })
    if (now < validFromDate) throw new Refusal('certificate_not_yet_valid', { check: 'validity' })
  }
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    return false
  }
}

function refuseRevoked(path: readonly X509Certificate[], revoked: ReadonlySet<string>): void {
  if (path.some((each) => revoked.has(fingerprintOf(each)))) {
    throw new Refusal('certificate_revoked', { state: 'revoked', check: 'chain' })
  }
}

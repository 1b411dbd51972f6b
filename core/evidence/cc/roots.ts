import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { Anchors } from './certificates.ts'

/** A public key for signatures of tokens, as a JWKS holds it; further members are kept. */
const TokenKey = z.looseObject({ kty: z.literal('EC'), kid: z.string().min(1).max(256), crv: z.literal('P-384') })

/** The pinned roots in one document: PEM texts by kind, and the JWKS of the token issuer. */
const RootsDocument = z.strictObject({
  'snp-report': z.array(z.string()).max(64).optional(),
  'nitro-attestation': z.array(z.string()).max(64).optional(),
  nras: z.object({ keys: z.array(TokenKey).min(1).max(64) }).optional(),
  revoked: z.array(z.string()).max(10_000).optional(),
})
export type RootsDocument = z.infer<typeof RootsDocument>

/** Roots that the operator pins: reports of a kind without roots stay unverified. */
export interface CcRoots {
  readonly 'snp-report'?: Anchors
  readonly 'nitro-attestation'?: Anchors
  readonly nras?: { readonly keys: readonly z.infer<typeof TokenKey>[]; readonly revoked: ReadonlySet<string> }
}

/** No roots: no report is ever verified. */
export const NO_ROOTS: CcRoots = {}

/** Opens pinned roots. Throws an `Error` that names the part that is wrong. */
export function openRoots(value: unknown): CcRoots {
  const parsed = RootsDocument.safeParse(value)
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error))
  const { 'snp-report': snp, 'nitro-attestation': nitro, nras, revoked: listed = [] } = parsed.data
  const revoked = new Set(listed.map((each) => each.replaceAll(':', '').toLowerCase()))
  return {
    ...(snp !== undefined && { 'snp-report': anchorsOf('snp-report', snp, revoked) }),
    ...(nitro !== undefined && { 'nitro-attestation': anchorsOf('nitro-attestation', nitro, revoked) }),
    ...(nras !== undefined && { nras: { keys: nras.keys, revoked: new Set(listed) } }),
  }
}

/** Splits a text of PEM certificates into each of them. */
export function splitPem(text: string): string[] {
  return [...text.matchAll(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g)].map(([pem]) => pem)
}

function anchorsOf(kind: string, pems: readonly string[], revoked: ReadonlySet<string>): Anchors {
  const certificates = pems.flatMap(splitPem).map((pem) => openPem(kind, pem))
  // A certificate that issued itself is a root; the others shorten what a report has to bring.
  const roots = certificates.filter((each) => each.checkIssued(each) && each.verify(each.publicKey))
  if (roots.length === 0) throw new Error(`${kind}: no self-signed root certificate`)
  return { roots, intermediates: certificates.filter((each) => !roots.includes(each)), revoked }
}

function openPem(kind: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw new Error(`${kind}: a certificate cannot be read`, { cause })
  }
}

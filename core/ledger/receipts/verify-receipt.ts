import { canonicalJson, type Json } from '../../kernel/json/json.ts'
import type { TrustedKeys } from '../keys/jwk.ts'
import { macText, sameMac, type MacSecret } from '../../kernel/json/mac.ts'
import { checkDocument } from '../keys/sealed-document.ts'
import type { FindSecret } from '../keys/secret-lookup.ts'
import { verifyText } from '../keys/signing-key.ts'
import { buildReceiptMac } from './build-receipt.ts'
import { checkChain, checkChainMacs } from './chain.ts'
import { driveByMac, type DriveByReceipt } from './drive-by.ts'
import { runReceiptTexts } from './run-receipt.ts'
import {
  compareValues,
  conclude,
  parseReceipt,
  refuseReceipt,
  type KnownReceipt,
  type ReceiptValues,
  type ReceiptVerification,
} from './verification.ts'

/** Keys and secrets with which the service checks receipts. */
export interface ReceiptCheckOptions extends ReceiptValues {
  readonly findSecret: FindSecret
  /** The service's published keys: then the Ed25519 signature is checked too. */
  readonly keys?: TrustedKeys
  /** Finds the stored build receipt of an artifact hash, for drive-by claims that name no key. */
  readonly findBuildReceipt?: (artifactHash: string) => Promise<Json | undefined>
}

/**
 * Checks a receipt with the secrets of the service: the HMAC under the secret that `key_id` names, the chain of a build
 * receipt, and the Ed25519 signature. Never throws because of a receipt's content. Outcomes: `malformed_receipt`,
 * `unknown_receipt_key`, `receipt_secret_rotated` (the secret was pruned), `signature_mismatch`.
 */
export async function verifyReceipt(receipt: Json, options: ReceiptCheckOptions): Promise<ReceiptVerification> {
  const parsed = parseReceipt(receipt)
  if (parsed.kind === null) return refuseReceipt(null, 'malformed_receipt', parsed.reason)
  if (parsed.kind === 'drive-by') {
    const chain = checkChainOf(parsed)
    if (chain.reasons.length > 0) return conclude('drive-by', { ...chain, notes: [] })
    if (parsed.receipt.key_id === undefined) return await verifyClaim(parsed.receipt, options)
  }
  const found = await options.findSecret(parsed.receipt.key_id ?? '')
  if (found.state === 'unknown') return refuseReceipt(parsed.kind, 'unknown_receipt_key', 'key_id_unknown')
  if (found.state === 'pruned') return refuseReceipt(parsed.kind, 'receipt_secret_rotated', 'receipt_secret_pruned')
  const macs = checkMacs(parsed, found.secret)
  const signature = checkSignature(parsed, options.keys)
  const values = compareValues(parsed, options)
  return conclude(parsed.kind, {
    reasons: [...macs.reasons, ...(signature === 'invalid' ? ['ed25519_mismatch'] : []), ...values.reasons],
    // An unpublished signing key does not invalidate a receipt whose HMAC is right.
    notes: signature === 'untrusted' ? ['signing_key_not_published'] : [],
    checks: {
      ...macs.checks,
      ...(signature === 'trusted' || signature === 'invalid' ? { ed25519: signature === 'trusted' } : {}),
      ...values.checks,
    },
  })
}

/**
 * Checks a receipt with public keys alone. The HMACs are left to the service that holds the secrets; the Ed25519
 * signature covers them. A signer that is not among `keys` gives `signature_mismatch` with `signer_not_trusted`.
 */
export function verifyReceiptOffline(
  receipt: Json,
  keys: TrustedKeys,
  values: ReceiptValues = {},
): ReceiptVerification {
  const parsed = parseReceipt(receipt)
  if (parsed.kind === null) return refuseReceipt(null, 'malformed_receipt', parsed.reason)
  if (parsed.kind === 'drive-by') return refuseReceipt(parsed.kind, 'malformed_receipt', 'not_checkable_offline')
  const signature = checkSignature(parsed, keys)
  const chain = checkChainOf(parsed)
  const compared = compareValues(parsed, values)
  const reasons = [...chain.reasons, ...compared.reasons]
  if (signature !== 'trusted') reasons.unshift(signature === 'invalid' ? 'ed25519_mismatch' : 'signer_not_trusted')
  return conclude(parsed.kind, {
    reasons,
    notes: [],
    checks: { ed25519: signature === 'trusted', ...chain.checks, ...compared.checks },
  })
}

/** Verifies a drive-by claim without a key: the stored receipt of the artifact must match it and be valid itself. */
async function verifyClaim(claim: DriveByReceipt, options: ReceiptCheckOptions): Promise<ReceiptVerification> {
  const stored = await options.findBuildReceipt?.(claim.artifact_hash)
  if (stored === undefined) return refuseReceipt('drive-by', 'unknown_receipt_key', 'key_id_missing')
  const parsed = parseReceipt(stored)
  const isSame =
    parsed.kind === 'build' &&
    parsed.receipt.artifact_hash === claim.artifact_hash &&
    parsed.receipt.signature === claim.signature &&
    (claim.chain === undefined || canonicalJson(claim.chain) === canonicalJson(parsed.receipt.chain))
  if (!isSame) return conclude('drive-by', { reasons: ['hmac_mismatch'], notes: [], checks: { hmac: false } })
  return { ...(await verifyReceipt(stored, options)), kind: 'drive-by', mode: 'drive-by' }
}

interface Found {
  readonly reasons: string[]
  readonly checks: Record<string, boolean>
}

function checkMacs(parsed: KnownReceipt, secret: MacSecret): Found {
  const isRight = hasRightMac(parsed, secret)
  const reasons = isRight ? [] : ['hmac_mismatch']
  if (parsed.kind !== 'build') return { reasons, checks: { hmac: isRight } }
  const chain = checkChainOf(parsed)
  const links = checkChainMacs(parsed.receipt.chain, parsed.receipt.receipt_id, secret)
  return {
    reasons: [...reasons, ...chain.reasons, ...links],
    checks: { hmac: isRight, chain: chain.reasons.length === 0 && links.length === 0 },
  }
}

function hasRightMac(parsed: KnownReceipt, secret: MacSecret): boolean {
  switch (parsed.kind) {
    case 'run':
    case 'verified-inference':
    case 'composition':
    case 'batch':
    case 'gate':
      return sameMac(macText(runReceiptTexts(parsed.receipt).mac, secret), parsed.receipt.hmac)
    case 'build':
      return sameMac(buildReceiptMac(parsed.receipt, secret), parsed.receipt.signature)
    case 'drive-by':
      return sameMac(driveByMac(parsed.receipt.artifact_hash, secret), parsed.receipt.signature)
  }
}

function checkChainOf(parsed: KnownReceipt): Found {
  if (parsed.kind !== 'build' && parsed.kind !== 'drive-by') return { reasons: [], checks: {} }
  if (parsed.receipt.chain === undefined) return { reasons: [], checks: {} }
  const reasons = checkChain(parsed.receipt.chain, parsed.receipt.artifact_hash)
  return { reasons, checks: { chain: reasons.length === 0 } }
}

function checkSignature(
  parsed: KnownReceipt,
  keys: TrustedKeys | undefined,
): 'trusted' | 'untrusted' | 'invalid' | 'not_checked' {
  if (keys === undefined || parsed.kind === 'drive-by') return 'not_checked'
  if (parsed.kind === 'build') {
    const found = checkDocument(parsed.receipt, keys)
    return found === 'unknown_signer' ? 'untrusted' : found
  }
  const key = keys.get(parsed.receipt.kid)
  if (key === undefined) return 'untrusted'
  return verifyText(runReceiptTexts(parsed.receipt).signature, parsed.receipt.signature, key) ? 'trusted' : 'invalid'
}

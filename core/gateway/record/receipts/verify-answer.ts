import { sha256 } from '../../../kernel/json/json.ts'
import { fromJwk, type TrustedKeys } from '../../../ledger/keys/jwk.ts'
import { verifyText } from '../../../ledger/keys/signing-key.ts'
import { AuditReceipt } from './audit-receipt.ts'
import { withoutReceipt, type CarriedReceipt } from './carry-receipt.ts'

/** One check of an answer, in words. */
export interface AnswerCheck {
  readonly name: 'form' | 'signature' | 'signer' | 'answer'
  readonly status: 'pass' | 'warn' | 'fail'
  readonly detail: string
}

/** The verdict on an answer by its receipt. */
export interface AnswerVerification {
  /** False when a check failed; the signer may still be unknown. */
  readonly ok: boolean
  /** `unknown_signer`: the signature is right, and no trusted keys were given. */
  readonly trusted: 'trusted' | 'unknown_signer' | 'untrusted' | 'invalid'
  readonly checks: readonly AnswerCheck[]
  /** Null when the receipt is none or its signature is wrong. */
  readonly receipt: AuditReceipt | null
}

/**
 * Verifies offline that a receipt is signed and that an answer is the one that it is about. With trusted keys, the signer
 * must be one of them; without, the signature is checked by the key in the receipt, which proves that nothing was changed
 * but not who signed.
 */
export function verifyAnswer(
  answer: Uint8Array,
  carried: CarriedReceipt,
  trusted: TrustedKeys | undefined,
): AnswerVerification {
  const checks: AnswerCheck[] = []
  const check = (name: AnswerCheck['name'], status: AnswerCheck['status'], detail: string): void => {
    checks.push({ name, status, detail })
  }
  const refuse = (): AnswerVerification => ({ ok: false, trusted: 'invalid', checks, receipt: null })
  const text = textOf(carried.encoded)
  const receipt = text === null ? null : parseReceipt(text)
  if (text === null || receipt === null) {
    check('form', 'fail', 'this is no receipt of the form svc-audit-1')
    return refuse()
  }
  const { signing_key_id: kid, public_key: x } = receipt
  const own = openKey(kid, x)
  if (own === null || carried.keyId !== kid || !verifyText(text, carried.signature, own)) {
    check('signature', 'fail', 'the signature is not that of the receipt and its key')
    return refuse()
  }
  check('signature', 'pass', `Ed25519 over the receipt, by the key ${kid}`)
  const isTrusted = trusted?.get(kid)?.equals(own) === true
  if (trusted === undefined) check('signer', 'warn', 'no key is pinned, so it is not known whose signature it is')
  else if (isTrusted) check('signer', 'pass', 'the key is pinned')
  else check('signer', 'fail', `the key ${kid} is not among the pinned ones`)
  const isSame = sha256(withoutReceipt(answer, carried)) === receipt.output_hash
  if (isSame) check('answer', 'pass', `these ${answer.length} bytes are the ones that were answered`)
  else check('answer', 'fail', `these ${answer.length} bytes are not the ones that were answered`)
  const status = isTrusted ? 'trusted' : trusted === undefined ? 'unknown_signer' : 'untrusted'
  return { ok: isSame && status !== 'untrusted', trusted: status, checks, receipt }
}

/** The signed text; null for another spelling of the same bytes, and for bytes that are no UTF-8. */
function textOf(encoded: string): string | null {
  const bytes = Buffer.from(encoded, 'base64url')
  if (bytes.toString('base64url') !== encoded) return null
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : null
}

function parseReceipt(text: string): AuditReceipt | null {
  try {
    return AuditReceipt.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

function openKey(kid: string, x: string) {
  try {
    return fromJwk({ kty: 'OKP', crv: 'Ed25519', x, kid })
  } catch {
    return null
  }
}

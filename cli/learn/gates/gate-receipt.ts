import { readFile, stat } from 'node:fs/promises'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { registrationHash } from '../../../core/learn/gate/registration.ts'
import { trustKeys } from '../../../core/ledger/keys/jwk.ts'
import { GateReceipt } from '../../../core/ledger/receipts/gate-receipt.ts'
import { verifyReceiptOffline } from '../../../core/ledger/receipts/verify-receipt.ts'
import { readJwks } from '../../accounts/read-jwks.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'

/** Larger files are no gate. */
const MOST_BYTES = 1024 * 1024

/**
 * `svc verify` and `svc receipt` of a gate: a file that `svc eval gate --out` wrote, or the receipt alone. Verifies the signature by pinned
 * keys, and that the registration beside it is the one that it names. Returns null for a file of another kind, else the exit
 * code: 3 when no key is pinned.
 */
export async function verifyGate(
  context: CliContext,
  file: string,
  { jwks }: { readonly jwks?: string },
): Promise<number | null> {
  const found = await readGate(file)
  if (found === null) return null
  const { receipt, registration } = found
  const keys = jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(jwks)
  const isSigned = verifyReceiptOffline({ ...receipt }, trustKeys(keys)).verified
  const signature = isSigned ? 'trusted' : keys.length === 0 ? 'unknown_signer' : 'refused'
  const isRegistered = registration === null || registrationHash(registration) === receipt.registration_hash
  const report = { ok: isRegistered && signature !== 'refused', signature, registration: isRegistered, receipt }
  context.output.result(report, () =>
    [
      `${receipt.gate_id}: ${receipt.decision}, ${receipt.mode}, ${receipt.rows} rows, level ${receipt.level}`,
      isRegistered
        ? `registered as ${receipt.registration_hash}`
        : `the registration in ${file} is not the one that the receipt names, ${receipt.registration_hash}`,
      isSigned ? 'signed by a pinned key' : `the signature is not verified (${signature}): svc login pins keys`,
    ].join('\n'),
  )
  if (!report.ok) return EXIT.failed
  return isSigned ? EXIT.ok : EXIT.unknownSigner
}

async function readGate(file: string) {
  const document = await readDocument(file)
  if (!isJsonObject(document)) return null
  const { receipt = document, registration } = document
  const parsed = GateReceipt.safeParse(receipt)
  if (!parsed.success) return null
  return { receipt: parsed.data, registration: isJsonObject(registration) ? registration : null }
}

async function readDocument(file: string): Promise<Json | undefined> {
  try {
    if ((await stat(file)).size > MOST_BYTES) return undefined
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

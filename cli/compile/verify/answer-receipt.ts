import { readFile, stat } from 'node:fs/promises'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { trustKeys } from '../../../core/ledger/keys/jwk.ts'
import { VerifiedReceipt } from '../../../core/ledger/receipts/primitive-receipts.ts'
import { verifyReceiptOffline } from '../../../core/ledger/receipts/verify-receipt.ts'
import { readJwks } from '../../accounts/read-jwks.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'

/** Larger files are no answer of a model. */
const MOST_BYTES = 16 * 1024 * 1024

/**
 * `svc verify` and `svc receipt` of a verified answer: a file that `svc ask --verified --json` wrote, or the receipt alone.
 * Verifies the signature by pinned keys, and shows what it binds. Returns null for a file of another kind, else the exit
 * code: 3 when no key is pinned.
 */
export async function verifyAnswer(
  context: CliContext,
  file: string,
  { jwks }: { readonly jwks?: string },
): Promise<number | null> {
  const receipt = await readReceipt(file)
  if (receipt === null) return null
  const keys = jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(jwks)
  const isSigned = verifyReceiptOffline({ ...receipt }, trustKeys(keys)).verified
  const signature = isSigned ? 'trusted' : keys.length === 0 ? 'unknown_signer' : 'refused'
  const report = { ok: signature !== 'refused', signature, receipt }
  context.output.result(report, () => describe(receipt, signature))
  if (!report.ok) return EXIT.failed
  return isSigned ? EXIT.ok : EXIT.unknownSigner
}

function describe(receipt: VerifiedReceipt, signature: string): string {
  const { passages_hashes: passages } = receipt
  const { passes, total, samples_hashes: samples } = receipt
  return [
    `${receipt.model}: ${passes} of ${total} tests pass, sample ${receipt.chosen_index + 1} of ${samples.length}`,
    `input ${receipt.input_hash}`,
    `output ${receipt.output_hash}`,
    ...(passages === undefined
      ? ['passages of documents: an earlier version did not bind them']
      : passages.length === 0
        ? ['no passages of documents']
        : passages.map((hash, at) => `passage ${at + 1} ${hash}`)),
    signature === 'trusted'
      ? 'signed by a pinned key'
      : `the signature is not verified (${signature}): svc login pins keys`,
  ].join('\n')
}

async function readReceipt(file: string): Promise<VerifiedReceipt | null> {
  const document = await readDocument(file)
  if (!isJsonObject(document)) return null
  const { _svc: facts = document } = document
  const receipt = isJsonObject(facts) ? (facts['receipt'] ?? facts) : facts
  return VerifiedReceipt.safeParse(receipt).data ?? null
}

async function readDocument(file: string): Promise<Json | undefined> {
  try {
    if ((await stat(file)).size > MOST_BYTES) return undefined
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

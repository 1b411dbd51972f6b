import { readFile, stat } from 'node:fs/promises'
import { hashJson, isJsonObject, type Json, type JsonObject, type Sha256 } from '../../../core/kernel/json/json.ts'
import { trustKeys } from '../../../core/ledger/keys/jwk.ts'
import { VerifiedReceipt } from '../../../core/ledger/receipts/primitive-receipts.ts'
import { verifyReceiptOffline } from '../../../core/ledger/receipts/verify-receipt.ts'
import { readJwks } from '../../accounts/read-jwks.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'

/** Larger files are no answer of a model. */
const MOST_BYTES = 16 * 1024 * 1024

/** A receipt, and the answer around it; null where the file holds the receipt alone. */
interface GivenReceipt {
  readonly receipt: VerifiedReceipt
  readonly answer: JsonObject | null
}

/**
 * `svc verify` and `svc receipt` of a verified answer: a file that `svc ask --verified --json` wrote, or the receipt alone.
 * Verifies the signature by pinned keys and compares the answer with what it binds. Returns null for a file of another kind,
 * else the exit code: 1 for an altered answer, 3 when no key is pinned.
 */
export async function verifyAnswer(
  context: CliContext,
  file: string,
  { jwks }: { readonly jwks?: string },
): Promise<number | null> {
  const given = await readReceipt(file)
  if (given === null) return null
  const { receipt, answer } = given
  const keys = jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(jwks)
  const isSigned = verifyReceiptOffline({ ...receipt }, trustKeys(keys)).verified
  const signature = isSigned ? 'trusted' : keys.length === 0 ? 'unknown_signer' : 'refused'
  const altered = answer === null ? null : alteredFields(answer, receipt)
  const ok = signature !== 'refused' && (altered ?? []).length === 0
  context.output.result({ ok, signature, altered, receipt }, () => describe(receipt, signature, altered))
  if (!ok) return EXIT.failed
  return isSigned ? EXIT.ok : EXIT.unknownSigner
}

/** Returns the fields of an answer that are not what its receipt states. */
export function alteredFields(answer: JsonObject, receipt: VerifiedReceipt): readonly string[] {
  const { content, model, _svc: facts } = answer
  const verified = isJsonObject(facts) ? facts['verified'] : undefined
  return [
    ...(hashOfText(content) === receipt.output_hash ? [] : ['content']),
    ...(model === receipt.model ? [] : ['model']),
    ...(verified === receipt.verified ? [] : ['_svc.verified']),
  ]
}

/** The hash that a receipt has of the text of an answer; null for blocks that are no text, or text that has no hash. */
function hashOfText(content: Json | undefined): Sha256 | null {
  const blocks: readonly Json[] = Array.isArray(content) ? content : []
  const texts = blocks.map((block) => (isJsonObject(block) ? block['text'] : null))
  const isText = (text: Json | undefined): text is string => typeof text === 'string' && text.isWellFormed()
  return texts.every(isText) ? hashJson(texts.join('')) : null
}

function describe(receipt: VerifiedReceipt, signature: string, altered: readonly string[] | null): string {
  const { passages_hashes: passages } = receipt
  const { passes, total, samples_hashes: samples } = receipt
  return [
    `${receipt.model}: ${passes} of ${total} tests pass, sample ${receipt.chosen_index + 1} of ${samples.length}`,
    `input ${receipt.input_hash}`,
    `output ${receipt.output_hash}`,
    altered === null
      ? 'the file holds no answer: only its receipt is verified'
      : altered.length === 0
        ? 'the answer is the one that the receipt binds'
        : `the answer was altered: the receipt binds another ${altered.join(', ')}`,
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

async function readReceipt(file: string): Promise<GivenReceipt | null> {
  const document = await readDocument(file)
  if (!isJsonObject(document)) return null
  const { _svc: facts } = document
  const { data: receipt } = VerifiedReceipt.safeParse(isJsonObject(facts) ? facts['receipt'] : document)
  return receipt === undefined ? null : { receipt, answer: isJsonObject(facts) ? document : null }
}

async function readDocument(file: string): Promise<Json | undefined> {
  try {
    if ((await stat(file)).size > MOST_BYTES) return undefined
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

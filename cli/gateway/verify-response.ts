import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { AuditReceipt } from '../../core/gateway/record/receipts/audit-receipt.ts'
import {
  divideStream,
  receiptInHeaders,
  type CarriedReceipt,
} from '../../core/gateway/record/receipts/carry-receipt.ts'
import { verifyAnswer, type AnswerVerification } from '../../core/gateway/record/receipts/verify-answer.ts'
import { trustKeys } from '../../core/ledger/keys/jwk.ts'
import { CliError, usageError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { readJwks } from '../accounts/read-jwks.ts'
import { paint } from '../terminal/output.ts'

/** Options of `svc verify-response`. */
export interface VerifyResponseOptions {
  readonly headers?: string
  readonly jwks?: string
}

/**
 * `svc verify-response`: 0 for an answer that a pinned key signed, 3 for an unchanged one when no key is pinned, 1 for any
 * other. Throws `CliError` when there is no receipt.
 */
export async function verifyResponse(
  context: CliContext,
  file: string,
  options: VerifyResponseOptions,
): Promise<number> {
  const bytes = await readBytes(file)
  const headers =
    options.headers === undefined ? null : Buffer.from(await readBytes(options.headers)).toString('latin1')
  const { answer, carried } = findReceipt(bytes, headers)
  const pinned = options.jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(options.jwks)
  const result = verifyAnswer(answer, carried, pinned.length > 0 ? trustKeys(pinned) : undefined)
  const report = { ...result, fingerprint: result.receipt?.signing_key_id ?? null }
  context.output.result(report, () => describe(file, result))
  if (!result.ok) return EXIT.failed
  return result.trusted === 'trusted' ? EXIT.ok : EXIT.unknownSigner
}

/** The receipt at the end of a stream, or that of the headers; where both are there they must be the same. */
function findReceipt(
  bytes: Uint8Array,
  headers: string | null,
): { readonly answer: Uint8Array; readonly carried: CarriedReceipt } {
  const divided = divideStream(bytes)
  if (headers === null) {
    if (divided !== null) return divided
    throw noReceipt(
      'the file does not end with a receipt: for an answer that was not streamed, name its headers with --headers (curl -D)',
    )
  }
  const carried = receiptInHeaders(headers)
  // A stream that was saved without its trailers has its receipt at its end alone.
  if (carried === null) {
    if (divided !== null) return divided
    throw noReceipt('neither the headers nor the end of the answer hold a receipt')
  }
  const isAtEnd = divided?.carried.encoded === carried.encoded
  return { answer: isAtEnd ? divided.answer : bytes, carried }
}

function noReceipt(message: string): CliError {
  return new CliError(message, { code: 'no_receipt' })
}

function describe(file: string, { ok, trusted, checks, receipt }: AnswerVerification): string {
  const marks = { pass: paint('green', '✔'), warn: paint('yellow', '!'), fail: paint('red', '✘') }
  const verdict = !ok
    ? paint('red', `${file} is NOT verified`)
    : trusted === 'trusted'
      ? paint('green', `${file} is the answer that the receipt is about, signed by a pinned key`)
      : paint(
          'yellow',
          `${file} is the answer that the receipt is about, but its signer is unknown: pin the key with svc login, or name a --jwks FILE`,
        )
  return [
    ...checks.map(({ name, status, detail }) => `${marks[status]} ${name.padEnd(10)} ${detail}`),
    ...(receipt === null ? [] : factsOf(receipt).map(([name, text]) => `  ${name.padEnd(10)} ${text}`)),
    verdict,
    ...(ok && receipt !== null && receipt.outcome !== 'whole' ? [paint('yellow', OUTCOMES[receipt.outcome])] : []),
  ].join('\n')
}

const OUTCOMES = {
  interrupted: 'the answer is not whole: its provider cut it off',
  left: 'the answer is not whole: its caller left',
} as const

function factsOf(receipt: AuditReceipt): (readonly [name: string, text: string])[] {
  const { provider, model, request_model: asked, response_model: named, failed_attempts: failed } = receipt
  const tokens = `${receipt.input_tokens} tokens in, ${receipt.output_tokens} out`
  const counted = receipt.tokens_estimated ? 'estimated' : 'counted by the provider'
  const cost = receipt.cost_usd === null ? 'cost unknown' : `${receipt.cost_usd} USD`
  return [
    ['receipt', `${receipt.receipt_id}, ${receipt.timestamp}, namespace ${receipt.namespace_id}`],
    [
      'model',
      `${provider} ${model}, asked for as ${asked}${named === null ? '' : `, named in the answer as ${named}`}`,
    ],
    ...failed.map((each) => ['instead of', `${each.provider} ${each.model}: ${each.reason}`] as const),
    ['usage', `${tokens} (${counted}), ${cost}`],
    ['input', receipt.input_hash],
    ['output', receipt.output_hash],
  ]
}

async function readBytes(file: string): Promise<Uint8Array> {
  if (file === '-') return await buffer(process.stdin)
  return await readFile(file).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw usageError(code === 'ENOENT' ? `${file}: there is no such file` : `${file}: cannot be read`, error)
  })
}

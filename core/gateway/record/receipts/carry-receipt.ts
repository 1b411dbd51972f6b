import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { LeftOut } from '../../captures/recording/left-out.ts'
import type { CallerDialectName } from '../../providers/provider.ts'
import type { SignedReceipt } from './sign-receipt.ts'

/** Headers of a receipt: the key's id, the signature, and the signed bytes. */
export const KEY_ID_HEADER = 'X-Inference-Key-ID'
export const SIGNATURE_HEADER = 'X-Inference-Signature'
export const RECEIPT_HEADER = 'X-Svc-Receipt'

/** Says why the capture of an answer does not hold its content. */
export const LEFT_OUT_HEADER = 'x-svc-capture-left-out'

/** Names of the headers behind the body of a stream. */
export const RECEIPT_TRAILERS = [SIGNATURE_HEADER, RECEIPT_HEADER, LEFT_OUT_HEADER].join(', ')

/** Name of the event that ends a stream. */
export const RECEIPT_EVENT = 'svc_receipt'

/** A receipt as an answer carries it. */
export interface CarriedReceipt {
  /** The signed bytes in base64url. */
  readonly encoded: string
  readonly signature: string
  readonly keyId: string
}

/** Additions of a receipt to the end of a stream. */
export interface StreamReceipt {
  /** The text behind the end of the dialect; empty where it would disturb the published SDKs. */
  readonly text: string
  readonly trailers: Readonly<Record<string, string>>
}

/** The headers of an answer that is sent whole. */
export function receiptHeaders(signed: SignedReceipt): Readonly<Record<string, string>> {
  return { [KEY_ID_HEADER]: signed.receipt.signing_key_id, ...receiptTrailers(signed) }
}

/**
 * Returns the end of a stream with its receipt, in the form that the SDKs of the dialect ignore. `leftOut`: why its capture
 * does not hold the content; null where it does.
 */
export function streamReceipt(
  dialect: CallerDialectName,
  signed: SignedReceipt,
  leftOut: LeftOut | null,
): StreamReceipt {
  const trailers = { ...receiptTrailers(signed), ...(leftOut !== null && { [LEFT_OUT_HEADER]: leftOut }) }
  return { text: RECEIPT_FRAMES[dialect](membersOf(signed, leftOut)), trailers }
}

function receiptTrailers({ encoded, signature }: SignedReceipt): Readonly<Record<string, string>> {
  return { [SIGNATURE_HEADER]: signature, [RECEIPT_HEADER]: encoded }
}

/**
 * Adds the receipt to an answer, as its last member: the signed members as they are, and the signature. The receipt covers
 * the answer without it.
 */
export function bytesWithReceipt(answer: string, { encoded, signature }: SignedReceipt): string {
  return answer.endsWith('}') ? `${answer.slice(0, -1)}${receiptMember(textOf(encoded), signature)}` : answer
}

/** Returns an answer without the member that holds its own receipt; one that does not end with it stays as it is. */
export function withoutReceipt(answer: Uint8Array, { encoded, signature }: CarriedReceipt): Uint8Array {
  const whole = Buffer.from(answer.buffer, answer.byteOffset, answer.length)
  const member = Buffer.from(receiptMember(textOf(encoded), signature))
  const start = whole.length - member.length
  if (start < 0 || !whole.subarray(start).equals(member)) return answer
  return Buffer.concat([whole.subarray(0, start), Buffer.from('}')])
}

function receiptMember(text: string, signature: string): string {
  return `,"${RECEIPT_EVENT}":${text.slice(0, -1)},"signature":${JSON.stringify(signature)}}}`
}

function textOf(encoded: string): string {
  return Buffer.from(encoded, 'base64url').toString('utf8')
}

type WriteFrame = (members: JsonObject) => string

const RECEIPT_FRAMES: Readonly<Record<CallerDialectName, WriteFrame>> = {
  // Readers without the mark [DONE] find a chunk without choices, which the dialect knows.
  'chat-completions': (members) => eventOf({ choices: [], ...members }),
  // The SDKs of these two pass events of every name on as parts of the answer; comments they drop.
  messages: commentOf,
  responses: commentOf,
  // Google's SDK for Python takes every line for JSON: its callers find the receipt in the trailers.
  'generate-content': () => '',
}

function eventOf(data: Json): string {
  return `event: ${RECEIPT_EVENT}\ndata: ${JSON.stringify(data)}\n\n`
}

function commentOf(data: Json): string {
  return `: ${RECEIPT_EVENT} ${JSON.stringify(data)}\n\n`
}

function membersOf({ receipt, encoded, signature }: SignedReceipt, leftOut: LeftOut | null): JsonObject {
  const members = { receipt: encoded, signature, key_id: receipt.signing_key_id }
  return { svc_receipt: { ...members, ...(leftOut !== null && { capture_left_out: leftOut }) } }
}

/** A saved stream, divided into the answer and the receipt behind it. */
export interface DividedStream {
  readonly answer: Uint8Array
  readonly carried: CarriedReceipt
}

const FRAME = new RegExp(`^(?:event: ${RECEIPT_EVENT}\\ndata: |: ${RECEIPT_EVENT} )(\\{.+\\})\\n\\n$`)
const STARTS = [`event: ${RECEIPT_EVENT}\n`, `: ${RECEIPT_EVENT} `].map((start) => Buffer.from(start))
/** Most bytes of a receipt and what is around it. */
const MOST_FRAME_BYTES = 64 * 1024

/** Divides the bytes of a stream; null when they do not end with a receipt in exactly the form in which it is sent. */
export function divideStream(bytes: Uint8Array): DividedStream | null {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const at = Math.max(...STARTS.map((start) => whole.lastIndexOf(start)))
  if (at < 0 || whole.length - at > MOST_FRAME_BYTES) return null
  const frame = whole.subarray(at).toString('latin1')
  const [, json] = FRAME.exec(frame) ?? []
  const data = json === undefined ? null : parse(json)
  const member = isJsonObject(data) ? data['svc_receipt'] : null
  if (member === null || !isJsonObject(member)) return null
  const { receipt: encoded, signature, key_id: keyId, capture_left_out: leftOut } = member
  if (typeof encoded !== 'string' || typeof signature !== 'string' || typeof keyId !== 'string') return null
  const isLeftOut = typeof leftOut === 'string'
  const members = {
    svc_receipt: { receipt: encoded, signature, key_id: keyId, ...(isLeftOut && { capture_left_out: leftOut }) },
  }
  const forms = [eventOf({ choices: [], ...members }), commentOf(members)]
  if (!forms.includes(frame)) return null
  return { answer: whole.subarray(0, at), carried: { encoded, signature, keyId } }
}

/**
 * Reads a receipt from the headers of an answer as `curl -D` writes them, trailers included; of several answers, such as
 * redirects, from the last. Null when the three headers are not there exactly once, or with one value.
 */
export function receiptInHeaders(text: string): CarriedReceipt | null {
  const lines = text.split(/\r?\n/)
  const last = lines.slice(
    Math.max(
      0,
      lines.findLastIndex((line) => line.startsWith('HTTP/')),
    ),
  )
  const valueOf = (name: string): string | null => {
    const values = last.flatMap((line) => {
      const at = line.indexOf(':')
      return line.slice(0, at).toLowerCase() === name.toLowerCase() ? [line.slice(at + 1).trim()] : []
    })
    return new Set(values).size === 1 ? (values[0] ?? null) : null
  }
  const encoded = valueOf(RECEIPT_HEADER)
  const signature = valueOf(SIGNATURE_HEADER)
  const keyId = valueOf(KEY_ID_HEADER)
  if (encoded === null || signature === null || keyId === null) return null
  return { encoded, signature, keyId }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

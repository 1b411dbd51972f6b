import type { IncomingMessage } from 'node:http'
import { KERNEL_ERRORS, invalidField, type DomainError } from '../../../core/kernel/errors.ts'
import { discardBody } from '../connections/unread-bodies.ts'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { Holding } from '../../../core/kernel/threads/fair/held-bytes.ts'
import { decodeUtf8 } from '../../../core/kernel/json/utf8.ts'
import type { BodyBounds, BodyIntake } from './body-intake.ts'

/** From this size on a body is read beside the event loop; smaller ones take less time than the way there and back. */
const LARGE_BODY_BYTES = 16 * 1024
/** From this size on a body counts as held memory. */
const HELD_FROM_BYTES = 64 * 1024
/** Fields of a form; the routes that take one know two. */
const MOST_FIELDS = 32

/** Bounds on one body, and on whose behalf it is read. */
export interface BodyReading extends BodyBounds {
  readonly maxBytes: number
  /** The key by which callers take turns. */
  readonly caller: string
  readonly intake: BodyIntake
  /** Does something when the call is over: until then its body is held. */
  readonly whenOver: (act: () => void) => void
}

/** The media type of a request without its parameters, in lower case; undefined when it names none. */
export function mediaType(request: IncomingMessage): string | undefined {
  return request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}

/** True when the request announces a body. */
export function announcesBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length']
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/**
 * Reads and parses a JSON body; a large one is parsed beside the event loop, and its caller waits for a turn. No body,
 * or an empty one, is undefined. Throws `unsupported_media_type`, `payload_too_large`, `invalid_encoding` (not UTF-8),
 * `invalid_json`, `busy` and what `parseJsonText` refuses.
 */
export async function readJsonBody(request: IncomingMessage, reading: BodyReading): Promise<Json | undefined> {
  if (!announcesBody(request)) return undefined
  requireJson(request)
  const chunks = await readChunks(request, reading)
  if (chunks.length === 0) return undefined
  const { maxDepth, maxParts, intake, caller } = reading
  if (chunks.reduce((sum, { length }) => sum + length, 0) < LARGE_BODY_BYTES)
    return parseJsonText(decodeUtf8(joined(chunks), 'body'), maxDepth, 'body', maxParts)
  return await intake.readBody(chunks, reading, caller)
}

/** Reads a body as it is; without one it is empty. Throws `payload_too_large` and `busy`. */
export async function readRawBody(request: IncomingMessage, reading: BodyReading): Promise<Buffer> {
  if (!announcesBody(request)) return Buffer.alloc(0)
  const bytes = joined(await readChunks(request, reading))
  if (bytes.length >= LARGE_BODY_BYTES) await reading.intake.turn(reading.caller)
  return bytes
}

/**
 * Reads the fields of an HTML form. Throws `payload_too_large`, `invalid_encoding`, `busy`, and `validation_failed` for a field
 * that is there twice: who else looks at it may have taken the other one.
 */
export async function readFormBody(
  request: IncomingMessage,
  reading: BodyReading,
): Promise<Readonly<Record<string, string>>> {
  const bytes = await readRawBody(request, reading)
  const text = decodeUtf8(bytes, 'body')
  // Counted before they are made.
  for (let at = text.indexOf('&'), fields = 1; at !== -1; at = text.indexOf('&', at + 1)) {
    if (++fields > MOST_FIELDS) throw invalidField('body', `has more than ${MOST_FIELDS} fields`)
  }
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(fields, name)) throw invalidField(name.slice(0, 100), 'is there twice')
    fields[name] = value
  }
  return fields
}

/** Throws `unsupported_media_type` unless the request says that it carries uncompressed UTF-8 JSON. */
function requireJson(request: IncomingMessage): void {
  const type = mediaType(request)
  if (type !== 'application/json' && !(type?.startsWith('application/') && type.endsWith('+json'))) {
    throw invalidField('content-type', 'must be application/json', KERNEL_ERRORS.unsupported_media_type)
  }
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw invalidField('content-type', 'must name no charset other than UTF-8', KERNEL_ERRORS.unsupported_media_type)
  }
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw invalidField(
      'content-encoding',
      'must be absent: compressed bodies are not accepted',
      KERNEL_ERRORS.unsupported_media_type,
    )
  }
}

/** `payload_too_large` for the part of a call that `field` names. */
export function tooLarge(field: string, maxBytes: number): DomainError {
  const message = `is larger than ${maxBytes} bytes; send a smaller one, such as the first rows of a file`
  return KERNEL_ERRORS.payload_too_large(`${field}: ${message}`, {
    details: { fields: [{ field, message }], max_bytes: maxBytes },
  })
}

/** Throws `payload_too_large` for a body that is announced as larger than `maxBytes`, before any of it is read. */
export function refuseAnnouncedSize(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge('body', maxBytes)
}

async function readChunks(
  request: IncomingMessage,
  { maxBytes, caller, intake, whenOver }: BodyReading,
): Promise<readonly Buffer[]> {
  refuseAnnouncedSize(request, maxBytes)
  return await new Promise<readonly Buffer[]>((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let holding: Holding | undefined
    const hold = (bytes: number) => {
      if (holding === undefined) {
        holding = intake.hold(caller, (error) => stop(error))
        whenOver(() => holding?.release())
      }
      holding.add(bytes)
    }
    const stop = (error: Error) => {
      chunks.length = 0
      holding?.release()
      request.off('data', onData)
      discardBody(request)
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        stop(tooLarge('body', maxBytes))
        return
      }
      chunks.push(chunk)
      if (size > HELD_FROM_BYTES) hold(holding === undefined ? size : chunk.length)
    }
    request.on('data', onData)
    request.once('end', () => {
      resolve(chunks)
    })
    request.once('error', stop)
    request.once('aborted', () => stop(invalidField('body', 'ended early', KERNEL_ERRORS.invalid_json)))
  })
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}

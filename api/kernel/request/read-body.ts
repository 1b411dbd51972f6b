import type { IncomingMessage } from 'node:http'
import { DomainError, invalidField } from '../../../core/errors.ts'
import { parseJsonText } from '../../../core/json-text.ts'
import type { Json } from '../../../core/json.ts'
import { decodeUtf8 } from '../../../core/utf8.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from './large-bodies.ts'

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
 * Reads and parses a JSON body of at most `maxBytes`; a large one is checked beside the event loop. No body, or an
 * empty one, is undefined. Throws `unsupported_media_type`, `payload_too_large`, `invalid_encoding` (not UTF-8),
 * `invalid_json` and what `parseJsonText` refuses.
 */
export async function readJsonBody(
  request: IncomingMessage,
  limits: { readonly maxBytes: number; readonly maxDepth: number },
  largeBodies: LargeBodies,
): Promise<Json | undefined> {
  if (!announcesBody(request)) return undefined
  requireJson(request)
  const bytes = await readBytes(request, limits.maxBytes)
  if (bytes.length === 0) return undefined
  if (bytes.length < LARGE_BODY_BYTES) return parseJsonText(decodeUtf8(bytes, 'body'), limits.maxDepth)
  await largeBodies.check(bytes, limits.maxDepth)
  const value: Json = JSON.parse(decodeUtf8(bytes, 'body'))
  return value
}

/** Reads a body of at most `maxBytes` as it is; without one it is empty. Throws `payload_too_large`. */
export async function readRawBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return announcesBody(request) ? await readBytes(request, maxBytes) : Buffer.alloc(0)
}

/**
 * Reads the fields of an HTML form. Throws `payload_too_large`, `invalid_encoding`, and `validation_failed` for a field
 * that is there twice: who else looks at it may have taken the other one.
 */
export async function readFormBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Readonly<Record<string, string>>> {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(decodeUtf8(await readBytes(request, maxBytes), 'body'))) {
    if (Object.hasOwn(fields, name)) throw invalidField(name.slice(0, 100), 'is there twice')
    fields[name] = value
  }
  return fields
}

/** Throws `unsupported_media_type` unless the request says that it carries uncompressed UTF-8 JSON. */
function requireJson(request: IncomingMessage): void {
  const type = mediaType(request)
  if (type !== 'application/json' && !(type?.startsWith('application/') && type.endsWith('+json'))) {
    throw invalidField('content-type', 'must be application/json', 'unsupported_media_type')
  }
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw invalidField('content-type', 'must name no charset but UTF-8', 'unsupported_media_type')
  }
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw invalidField(
      'content-encoding',
      'must be absent: compressed bodies are not accepted',
      'unsupported_media_type',
    )
  }
}

/** `payload_too_large` for the part of a call that `field` names. */
export function tooLarge(field: string, maxBytes: number): DomainError {
  const message = `is larger than ${maxBytes} bytes`
  return new DomainError('payload_too_large', `${field}: ${message}`, {
    details: { fields: [{ field, message }], max_bytes: maxBytes },
  })
}

/** Throws `payload_too_large` for a body that is announced as larger than `maxBytes`, before any of it is read. */
export function refuseAnnouncedSize(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge('body', maxBytes)
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  refuseAnnouncedSize(request, maxBytes)
  return await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = (error: Error) => {
      request.off('data', onData)
      // The rest goes by unread, so that the answer reaches a caller who is still sending.
      request.resume()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) stop(tooLarge('body', maxBytes))
      else chunks.push(chunk)
    }
    request.on('data', onData)
    request.once('end', () => {
      const [only] = chunks
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, size))
    })
    request.once('error', stop)
    request.once('aborted', () => stop(invalidField('body', 'ended early', 'invalid_json')))
  })
}

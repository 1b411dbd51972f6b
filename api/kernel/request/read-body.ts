import type { IncomingMessage } from 'node:http'
import { DomainError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { parseJsonText } from './json-text.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

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
 * Reads and parses a JSON body of at most `maxBytes`. No body, or an empty one, is undefined. Throws
 * `unsupported_media_type`, `payload_too_large`, `invalid_encoding` (not UTF-8), `invalid_json` and what
 * `parseJsonText` refuses.
 */
export async function readJsonBody(
  request: IncomingMessage,
  limits: { readonly maxBytes: number; readonly maxDepth: number },
): Promise<Json | undefined> {
  if (!announcesBody(request)) return undefined
  requireJson(request)
  const bytes = await readBytes(request, limits.maxBytes)
  if (bytes.length === 0) return undefined
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch (error) {
    throw new DomainError('invalid_encoding', 'the body is not valid UTF-8', {
      details: { fields: [{ field: 'body', message: 'is not valid UTF-8' }] },
      cause: error,
    })
  }
  return parseJsonText(text, limits.maxDepth)
}

/** Throws `unsupported_media_type` unless the request says that it carries uncompressed UTF-8 JSON. */
function requireJson(request: IncomingMessage): void {
  const type = mediaType(request)
  if (type !== 'application/json' && !(type?.startsWith('application/') && type.endsWith('+json'))) {
    throw new DomainError('unsupported_media_type', 'send the body as application/json')
  }
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new DomainError('unsupported_media_type', 'send the body in UTF-8')
  }
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new DomainError('unsupported_media_type', 'compressed bodies are not accepted')
  }
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new DomainError('payload_too_large', `the body is larger than ${maxBytes} bytes`, {
      details: { max_bytes: maxBytes },
    })
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
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
      if (size > maxBytes) stop(tooLarge())
      else chunks.push(chunk)
    }
    request.on('data', onData)
    request.once('end', () => {
      const [only] = chunks
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, size))
    })
    request.once('error', stop)
    request.once('aborted', () => stop(new DomainError('invalid_json', 'the body ended early')))
  })
}

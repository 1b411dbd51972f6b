import { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { ProviderError } from '../../providers/provider-error.ts'

/** A body that is too large to be held: it is read anew for each attempt. */
export interface StreamedBody {
  readonly mediaType: string
  readonly sizeBytes: number
  read(): AsyncIterable<Uint8Array>
}

/** A request to a provider. */
export interface UpstreamCall {
  /** POST when absent. */
  readonly method?: 'GET' | 'HEAD'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or bytes as they come; null for a call without a body. */
  readonly body: string | StreamedBody | null
  /** From sending to the end of a whole answer, or to the start of a streamed one, milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** An answer of any status, before its body is read. One of the three methods has to be called. */
export interface UpstreamReply {
  readonly status: number
  /** Names in lower case; the first value of each. */
  readonly headers: Readonly<Record<string, string>>
  /** Reads the body. Throws `ProviderError`: too large, no UTF-8, cut off, too late. */
  text(): Promise<string>
  /** The body as it comes, as fast as it is taken. Throws `ProviderError` `interrupted` when it is cut off. */
  chunks(): AsyncIterable<Uint8Array>
  /** Ends the call. Safe at any time. */
  cancel(): void
}

/** Connections to providers: the one way in which requests reach them. */
export interface Upstream {
  /** Throws `ProviderError`, and the signal's reason when it is aborted. Redirects are not followed. */
  send(call: UpstreamCall): Promise<UpstreamReply>
  /** Ends all connections. Calls still running fail. */
  close(): Promise<void>
}

/** Bounds of the connections. */
export interface UpstreamOptions {
  /** Maximum number of connections to one address. */
  readonly connections: number
  /** Largest body that is read whole. */
  readonly maxBytes: number
  /** A stream that is silent for longer is cut off, milliseconds. */
  readonly idleMs: number
}

const CONNECT_TIMEOUT_MS = 10_000
/** Ends calls that are over or not wanted any more. */
const CANCELLED = new ProviderError('interrupted', 'the call was ended')

/** Opens connections to providers; none is made yet. */
export function openUpstream({ connections, maxBytes, idleMs }: UpstreamOptions): Upstream {
  const dispatcher = new Agent({ connections, connect: { timeout: CONNECT_TIMEOUT_MS } })
  return {
    async send({ method = 'POST', url, headers, body, timeoutMs, signal }) {
      signal.throwIfAborted()
      const ending = new AbortController()
      const onAbort = () => ending.abort(signal.reason)
      signal.addEventListener('abort', onAbort)
      // Made when it is needed: an error costs its stack.
      const late = () => new ProviderError('timeout', `the provider did not answer within ${timeoutMs} ms`)
      const timer = setTimeout(() => ending.abort(late()), timeoutMs)
      const release = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const explain = (error: unknown, isBody: boolean): unknown => {
        if (signal.aborted) return signal.reason
        if (ending.signal.aborted) return ending.signal.reason
        if (error instanceof ProviderError) return error
        if (isTimeout(error)) return new ProviderError('timeout', 'the provider fell silent', { cause: error })
        return isBody
          ? new ProviderError('interrupted', "the provider's answer broke off", { cause: error })
          : new ProviderError('connection', 'the connection to the provider failed', { cause: error })
      }
      const answer = await request(url, {
        method,
        headers: {
          ...headersOf(body),
          'accept-encoding': 'identity',
          ...headers,
        },
        body: typeof body === 'object' && body !== null ? Readable.from(body.read()) : body,
        dispatcher,
        signal: ending.signal,
        headersTimeout: timeoutMs,
        bodyTimeout: idleMs,
      }).catch((error: unknown) => {
        release()
        throw explain(error, false)
      })
      // Without a reader, an end of the call would otherwise be an error that is not caught.
      answer.body.on('error', () => undefined)
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        try {
          for await (const chunk of answer.body) {
            if (chunk instanceof Uint8Array) yield chunk
          }
        } catch (error) {
          throw explain(error, true)
        } finally {
          release()
          // A body that is left early would hold its connection.
          answer.body.destroy()
        }
      }
      return {
        status: answer.statusCode,
        headers: firstValues(answer.headers),
        async text() {
          return await readText(chunks(), maxBytes)
        },
        chunks() {
          clearTimeout(timer)
          return chunks()
        },
        cancel() {
          release()
          ending.abort(CANCELLED)
          answer.body.destroy()
        },
      }
    },
    close: async () => await dispatcher.destroy(),
  }
}

function headersOf(body: UpstreamCall['body']): Readonly<Record<string, string>> {
  if (body === null) return {}
  if (typeof body === 'string') return { 'content-type': 'application/json' }
  return { 'content-type': body.mediaType, 'content-length': String(body.sizeBytes) }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).endsWith('_TIMEOUT')
    ? !String(error.code).includes('CONNECT')
    : false
}

function firstValues(headers: NodeJS.Dict<string | string[]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value
      return first === undefined ? [] : [[name, first]]
    }),
  )
}

async function readText(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const held: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of chunks) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw new ProviderError('invalid_response', 'the answer is too large')
    held.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(held))
  } catch {
    throw new ProviderError('invalid_response', 'the answer is no UTF-8')
  }
}

import { Readable } from 'node:stream'
import { Agent } from 'undici'
import { timerMs } from '../../../kernel/threads/timers.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import { Reception, type AnswerStart } from './reception.ts'

/** A body that is too large to be held: it is read anew for each attempt. */
export interface StreamedBody {
  readonly mediaType: string
  readonly sizeBytes: number
  read(): AsyncIterable<Uint8Array>
}

/** A request to a provider. */
export interface UpstreamCall {
  /** POST when absent. */
  readonly method?: 'GET' | 'HEAD' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON, a large one in parts of UTF-8, or bytes as they come; null for a call without a body. */
  readonly body: string | readonly Uint8Array[] | StreamedBody | null
  /** From sending to the end of a whole answer, or to the start of a streamed one, milliseconds. */
  readonly timeoutMs: number
  /** Largest body that `text` reads; that of the connections when absent. */
  readonly maxBytes?: number
  readonly signal: AbortSignal
  /** Called when the request goes out: not for one that ends while it waits for a connection. */
  readonly onSent?: () => void
}

/** An answer of any status, before its body is read. One of the three methods has to be called. */
export interface UpstreamReply extends AnswerStart {
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
export function openUpstream({ connections, maxBytes: mostBytes, idleMs }: UpstreamOptions): Upstream {
  const dispatcher = new Agent({ connections, connect: { timeout: CONNECT_TIMEOUT_MS } })
  return {
    async send({ method = 'POST', url, headers, body, timeoutMs, maxBytes = mostBytes, signal, onSent }) {
      signal.throwIfAborted()
      const reception = new Reception(onSent)
      const onAbort = () => reception.end(CANCELLED)
      signal.addEventListener('abort', onAbort)
      // Made when it is needed: an error costs its stack.
      const late = () => new ProviderError('timeout', `the provider did not answer within ${timeoutMs} ms`)
      const timer = setTimeout(() => reception.end(late()), timerMs(timeoutMs))
      const release = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const explain = (error: unknown, isBody: boolean): unknown => {
        if (signal.aborted) return signal.reason
        if (error instanceof ProviderError) return error
        if (isTimeout(error)) return new ProviderError('timeout', 'the provider fell silent', { cause: error })
        return isBody
          ? new ProviderError('interrupted', "the provider's answer broke off", { cause: error })
          : new ProviderError('connection', 'the connection to the provider failed', { cause: error })
      }
      const { origin, pathname, search } = new URL(url)
      const call = {
        origin,
        path: pathname + search,
        method,
        headers: {
          ...headersOf(body),
          'accept-encoding': 'identity',
          ...headers,
        },
        body: typeof body === 'object' && body !== null ? Readable.from('read' in body ? body.read() : body) : body,
        // The time of the call ends one without an answer.
        headersTimeout: 0,
        bodyTimeout: idleMs,
      }
      let start: AnswerStart
      try {
        dispatcher.dispatch(call, reception)
        start = await reception.started
      } catch (error) {
        release()
        throw explain(error, false)
      }
      /** Also ends an answer that is left early: it would hold its connection. */
      const cancel = () => {
        release()
        reception.end(CANCELLED)
      }
      return {
        ...start,
        async text() {
          try {
            return await readText(reception, maxBytes)
          } catch (error) {
            throw explain(error, true)
          } finally {
            cancel()
          }
        },
        async *chunks() {
          clearTimeout(timer)
          try {
            for (let part = await reception.take(); part !== null; part = await reception.take()) yield* part
          } catch (error) {
            throw explain(error, true)
          } finally {
            cancel()
          }
        },
        cancel,
      }
    },
    close: async () => await dispatcher.destroy(),
  }
}

function headersOf(body: UpstreamCall['body']): Readonly<Record<string, string>> {
  if (body === null) return {}
  if (typeof body === 'string') return { 'content-type': 'application/json' }
  if ('read' in body) return { 'content-type': body.mediaType, 'content-length': String(body.sizeBytes) }
  const sizeBytes = body.reduce((sum, { length }) => sum + length, 0)
  return { 'content-type': 'application/json', 'content-length': String(sizeBytes) }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).endsWith('_TIMEOUT')
    ? !String(error.code).includes('CONNECT')
    : false
}

const DECODER = new TextDecoder('utf-8', { fatal: true })

async function readText(reception: Reception, maxBytes: number): Promise<string> {
  const held: Uint8Array[] = []
  let sizeBytes = 0
  for (let part = await reception.take(); part !== null; part = await reception.take()) {
    for (const chunk of part) sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw new ProviderError('invalid_response', 'the answer is too large')
    held.push(...part)
  }
  const [only] = held
  try {
    return DECODER.decode(held.length === 1 ? only : Buffer.concat(held))
  } catch {
    throw new ProviderError('invalid_response', 'the answer is no UTF-8')
  }
}

import type { LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import { EgressError } from './egress-error.ts'
import { resolveAddress, type HostAddress, type ResolveName } from './resolve-address.ts'

/** A request to a caller's address. */
export interface GuardedCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** Bounds of such a request. */
export interface EgressBounds {
  /** True in tests and where the operator allows it: plain http and private addresses are permitted too. */
  readonly allowsPrivate: boolean
  readonly maxBytes: number
  /** From looking the name up to the end of the answer. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** An answer of any status; a redirect is one of them, and is not followed. */
export interface GuardedReply {
  readonly status: number
  /** Header names in lower case; the first value of each. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

/**
 * Sends a request to a caller's address. The name is resolved once, every address is checked, and the connection goes
 * to a checked one only, so a name that resolves differently a moment later (DNS rebinding) has no effect. The
 * certificate is still checked against the name. Throws `EgressError`.
 */
export async function guardedRequest(
  call: GuardedCall,
  bounds: EgressBounds,
  resolve: ResolveName,
): Promise<GuardedReply> {
  const url = readUrl(call.url, bounds.allowsPrivate)
  const timeout = AbortSignal.timeout(bounds.timeoutMs)
  const signal = bounds.signal === undefined ? timeout : AbortSignal.any([bounds.signal, timeout])
  let dispatcher: Agent | undefined
  try {
    const addresses = await unlessAborted(resolveAddress(url.hostname, { resolve, ...bounds }), signal)
    dispatcher = new Agent({ connections: 1, pipelining: 0, connect: { lookup: pinnedTo(addresses) } })
    const { statusCode, headers, body } = await request(url, {
      method: call.method,
      headers: { 'user-agent': 'svc', ...call.headers },
      body: call.body ?? null,
      dispatcher,
      signal,
    })
    const bytes = await readBounded(body, bounds.maxBytes)
    return { status: statusCode, headers: firstValues(headers), bytes }
  } catch (error) {
    if (bounds.signal?.aborted === true) throw bounds.signal.reason
    if (error instanceof EgressError) throw error
    if (timeout.aborted) throw new EgressError('timeout', `${url.host} did not answer within ${bounds.timeoutMs} ms`)
    throw new EgressError('connection', `the connection to ${url.host} failed`, { cause: error })
  } finally {
    await dispatcher?.destroy()
  }
}

/** Reads an address that may be called. Throws `EgressError` for another scheme, or with a name or password in it. */
export function readUrl(text: string, allowsHttp: boolean): URL {
  const url = URL.parse(text)
  const isSupported = url !== null && (url.protocol === 'https:' || (allowsHttp && url.protocol === 'http:'))
  if (!isSupported) {
    throw new EgressError('unsupported_url', `the address must start with https://`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('unsupported_url', 'an address must not contain a user name or password')
  }
  return url
}

/** Returns the checked addresses, whatever the name resolves to now. */
function pinnedTo(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

async function readBounded(body: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw new EgressError('too_large', `the answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function firstValues(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) values[name] = first
  }
  return values
}

/** Waits for work that cannot be cancelled, such as a DNS lookup, until the signal aborts; then it throws the reason. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

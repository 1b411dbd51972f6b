import { Agent, request } from 'undici'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { ProviderFault } from '../pod-provider.ts'

/** A call of a provider's API. */
export interface ProviderCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: JsonObject
}

/** An answer below 500: its status, and its body where it is JSON. */
export interface ProviderReply {
  readonly status: number
  readonly body: Json
}

/** The connections to one provider. */
export interface ProviderHttp {
  /** Throws `ProviderFault`: `unclear` without an answer or from 500 on, `unauthorized` for 401 and 403. */
  call(call: ProviderCall, signal: AbortSignal): Promise<ProviderReply>
  close(): Promise<void>
}

const TIMEOUT_MS = 20_000
const MAX_REPLY_BYTES = 8 * 1024 * 1024

/** Opens connections to a provider's JSON API; none is made yet. Redirects are not followed: they would take the key along. */
export function openProviderHttp(baseUrl: string, headers: Readonly<Record<string, string>>): ProviderHttp {
  const dispatcher = new Agent({ connections: 8, connect: { timeout: TIMEOUT_MS } })
  return {
    async call({ method, path, body }, signal) {
      signal.throwIfAborted()
      let status: number
      let text: string
      try {
        const reply = await request(`${baseUrl}${path}`, {
          method,
          headers: {
            accept: 'application/json',
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          body: body === undefined ? null : JSON.stringify(body),
          dispatcher,
          signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        })
        status = reply.statusCode
        text = await readBounded(reply.body)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw new ProviderFault('unclear', 'the provider of machines did not answer', { cause: error })
      }
      if (status >= 500) throw new ProviderFault('unclear', `the provider of machines answered ${status}`)
      if (status === 401 || status === 403) {
        throw new ProviderFault('unauthorized', 'the provider of machines refused the key')
      }
      return { status, body: parsed(text) }
    },
    close: async () => await dispatcher.destroy(),
  }
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > MAX_REPLY_BYTES) throw new Error('the answer is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The member of an object; undefined for another value. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

/** The member as a list of objects; empty for another value. */
export function objectsIn(value: Json | undefined, name: string): readonly JsonObject[] {
  const list = memberOf(value, name)
  return Array.isArray(list) ? list.filter((each: Json) => isJsonObject(each)) : []
}

/** A text, or a number as a text; null for another value. */
export function textOf(value: Json | undefined): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null
}

/** A finite number of at least zero; null for another value. */
export function amountOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

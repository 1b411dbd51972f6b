import type { GatewayProvider } from '../../calls/providers.ts'
import { CALLER_TABLE } from '../dialects/table.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import { parseJson, withoutKey } from './refusal.ts'
import type { Upstream } from './upstream.ts'

/** The provider's verdict on a key. */
export interface KeyCheck {
  readonly isAccepted: boolean
  /** 0 when the provider could not be reached. */
  readonly status: number
  readonly elapsedMs: number
  readonly error: 'invalid_key' | 'provider_error' | 'transport_error' | 'timeout' | null
  /** The provider's own words, without the key. */
  readonly detail: string | null
}

const TIMEOUT_MS = 10_000

/** Asks a provider whether it accepts a key, by a call that costs nothing. */
export async function checkKey(
  upstream: Upstream,
  provider: GatewayProvider,
  { baseUrl, apiKey, signal }: { readonly baseUrl: string; readonly apiKey: string; readonly signal: AbortSignal },
): Promise<KeyCheck> {
  const startedAt = performance.now()
  const elapsed = () => Math.round(performance.now() - startedAt)
  const [spoken] = provider.speaks[0] ?? ['chat-completions']
  const dialect = CALLER_TABLE[spoken]
  const version = provider.id === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}
  try {
    const reply = await upstream.send({
      method: 'GET',
      url: `${baseUrl}${provider.keyCheck}`,
      headers: { accept: 'application/json', ...dialect.headers(apiKey), ...version },
      body: null,
      timeoutMs: TIMEOUT_MS,
      signal,
    })
    const { status } = reply
    const body = parseJson(await reply.text())
    if (status >= 200 && status <= 299)
      return { isAccepted: true, status, elapsedMs: elapsed(), error: null, detail: null }
    const said = dialect.readError(status, body)
    // Google answers 400 to a key that it does not know.
    const isRefused = status === 401 || status === 403 || /api[ _]key/i.test(said.message)
    const error = isRefused ? 'invalid_key' : 'provider_error'
    const detail = withoutKey(said.message, apiKey) || null
    return { isAccepted: false, status, elapsedMs: elapsed(), error, detail }
  } catch (error) {
    if (signal.aborted || !(error instanceof ProviderError)) throw error
    const isLate = error.failure === 'timeout'
    const isRead = error.failure === 'invalid_response' || error.failure === 'interrupted'
    return {
      isAccepted: false,
      status: 0,
      elapsedMs: elapsed(),
      error: isLate ? 'timeout' : isRead ? 'provider_error' : 'transport_error',
      detail: error.message,
    }
  }
}

/** Returns true when a server answers anything within a second. */
export async function isReachable(upstream: Upstream, baseUrl: string, signal: AbortSignal): Promise<boolean> {
  try {
    const reply = await upstream.send({
      method: 'HEAD',
      url: `${baseUrl}/`,
      headers: {},
      body: null,
      timeoutMs: 1000,
      signal,
    })
    reply.cancel()
    return true
  } catch (error) {
    if (signal.aborted) throw error
    return false
  }
}

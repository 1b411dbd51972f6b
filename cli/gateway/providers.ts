import { text } from 'node:stream/consumers'
import type { z } from 'zod'
import {
  ChangeProvidersAnswer,
  ConnectionAnswer,
  ProvidersAnswer,
  type ProviderView,
} from '../../core/gateway/wire/providers.ts'
import type { ApiClient } from '../client/api-client.ts'
import { usageError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { paint } from '../terminal/output.ts'
import { formatTable, plainText } from '../terminal/table.ts'

type Connection = z.input<typeof ConnectionAnswer>
type Provider = z.input<typeof ProviderView>

/** Settings of a provider to change; absent ones stay. */
export interface ProviderChange {
  readonly enabled?: boolean
  readonly position?: number
  readonly rate_limit_rpm?: number
}

/** `svc gateway providers`. */
export async function listProviders(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('/v1/gateway/providers', ProvidersAnswer)
  context.output.result(answer, () => describeProviders(answer.providers))
}

/** `svc gateway providers enable|disable|set`. */
export async function changeProvider(context: CliContext, id: string, change: ProviderChange): Promise<void> {
  if (Object.keys(change).length === 0) throw usageError('give --position or --limit')
  const client = await context.client()
  const answer = await client.call('/v1/gateway/providers/config', ChangeProvidersAnswer, {
    method: 'POST',
    json: { providers: { [id]: change } },
  })
  context.output.result(answer, () => describeProviders(answer.providers))
}

/** `svc gateway test`: exits with 1 when a provider did not accept its key. */
export async function testProviders(
  context: CliContext,
  id: string | undefined,
  options: { readonly key?: string },
  setExitCode: (code: number) => void,
): Promise<void> {
  if (options.key !== undefined && id === undefined) throw usageError('--key needs the provider that the key is of')
  const client = await context.client()
  const key = options.key === '-' ? (await text(process.stdin)).trim() : options.key
  const ids = id === undefined ? await providersWithKeys(client) : [id]
  if (ids.length === 0) {
    throw usageError(
      'no provider has a key: store one with POST /v1/account/provider-keys, or name a provider and give --key',
    )
  }
  // Together they take as long as the slowest.
  const connections = await Promise.all(ids.map(async (each) => await testProvider(client, each, key)))
  if (connections.some(({ ok }) => !ok)) setExitCode(EXIT.failed)
  context.output.result({ connections }, () =>
    formatTable(['provider', 'key from', 'status', 'ms'], connections.map(connectionRow)),
  )
}

async function providersWithKeys(client: ApiClient): Promise<readonly string[]> {
  const { providers } = await client.call('/v1/gateway/providers', ProvidersAnswer)
  return providers.filter(({ api_key_set: hasKey }) => hasKey).map(({ provider }) => provider)
}

async function testProvider(client: ApiClient, provider: string, key: string | undefined): Promise<Connection> {
  const json = key === undefined ? { provider, stored: true } : { provider, api_key: key }
  return await client.call('/v1/gateway/test-connection', ConnectionAnswer, { method: 'POST', json })
}

const ORIGINS = { given: '--key', vault: 'vault', operator: 'operator', none: 'needs none' } as const

const FAILURES = {
  invalid_key: 'key refused',
  provider_error: 'wrong answer',
  transport_error: 'not reached',
  timeout: 'no answer in time',
} as const

function connectionRow({ ok, provider, key_from: from, status, elapsed_ms: ms, error, detail }: Connection): string[] {
  const outcome = ok ? paint('green', 'accepted') : paint('red', error === null ? 'refused' : FAILURES[error])
  const said = detail === null ? '' : `: ${plainText(detail)}`
  return [provider, ORIGINS[from], `${outcome}${status === 0 ? '' : ` (${status})`}${said}`, String(Math.round(ms))]
}

function describeProviders(providers: readonly Provider[]): string {
  const rows = providers.map((provider) => [
    provider.provider,
    provider.enabled ? 'yes' : paint('yellow', 'no'),
    String(provider.position),
    provider.rate_limit_rpm === 0 ? 'none' : `${provider.rate_limit_rpm}/min`,
    provider.api_key_set ? 'yes' : 'no',
    breakerText(provider.breaker),
    provider.dialects.join(', '),
  ])
  return [
    formatTable(['provider', 'enabled', 'position', 'limit', 'key', 'breaker', 'protocols'], rows),
    'A model is named PROVIDER:MODEL; gpt-…, claude-…, gemini-… and deepseek-… need no provider.',
  ].join('\n')
}

function breakerText({ state, retry_in_ms: retryInMs }: Provider['breaker']): string {
  if (state === 'closed') return 'closed'
  return paint('yellow', state === 'open' ? `open for ${Math.ceil(retryInMs / 1000)} s` : 'half open')
}

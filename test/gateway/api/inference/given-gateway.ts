import { fileURLToPath } from 'node:url'
import type { TelemetrySettings } from '../../../../config/environment/telemetry.ts'
import type { GatewayMode } from '../../../../core/gateway/calls/providers.ts'
import type { DialectName } from '../../../../core/gateway/providers/provider.ts'
import type { Limits } from '../../../../core/limits.ts'
import type { ScriptedAnswer, ScriptedCall } from '../../../support/providers/scripted-model.ts'
import { startProvider, type ProviderServer } from '../../../support/providers/server.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant, type TestApi } from '../../../support/api.ts'

const BASES = fileURLToPath(new URL('../../../../bases', import.meta.url))

/** The providers of these tests by the dialect that each speaks. */
export const PROVIDERS = {
  openai: 'chat-completions',
  anthropic: 'messages',
  google: 'generate-content',
} as const satisfies Record<string, DialectName>
/** The id of one of them. */
export type TestProvider = keyof typeof PROVIDERS

/** Models that lead to each. */
export const MODELS: Readonly<Record<TestProvider, string>> = {
  openai: 'gpt-4o-mini',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-2.5-flash',
}

/** Returns what a provider answers to a call. */
type Scripted = (call: ScriptedCall, provider: TestProvider) => ScriptedAnswer | Promise<ScriptedAnswer>

/** An API whose operator has a key at three providers, which answer what a test sets. */
export interface TestGateway {
  readonly api: TestApi
  /** A second process on the same database. */
  readonly other: TestApi
  readonly tenant: () => ApiTenant
  readonly server: (provider: TestProvider) => ProviderServer
  /** Sets what all providers answer from now on. */
  answer(answer: ScriptedAnswer | Scripted): void
  /** The last call that reached a provider. */
  readonly lastCall: (provider: TestProvider) => ScriptedCall
}

/** Starts the providers and an API in front of them for the surrounding suite, or two that share a database. */
export function useGateway(
  limits: Partial<Limits> = {},
  more: {
    readonly isTwice?: boolean
    readonly telemetry?: TelemetrySettings
    readonly gatewayMode?: GatewayMode
  } = {},
): TestGateway {
  const servers: Partial<Record<TestProvider, ProviderServer>> = {}
  let model: Scripted = () => ({ texts: ['ok'] })
  const ids = ['openai', 'anthropic', 'google'] as const
  before(async () => {
    for (const id of ids) servers[id] = await startProvider(PROVIDERS[id], async (call) => await model(call, id))
  })
  const database = useDatabase()
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  const settings = {
    baseFolders: [BASES],
    gatewayMode: more.gatewayMode ?? 'cloud',
    get telemetry() {
      return more.telemetry
    },
    get upstreams() {
      const reach = (id: TestProvider) => {
        return { baseUrl: servers[id]?.baseUrl.replace(/\/v1$/, ''), apiKey: servers[id]?.apiKey }
      }
      return {
        ...Object.fromEntries(ids.map((id) => [id, reach(id)])),
        'local-vllm': reach('openai'),
        openrouter: reach('openai'),
      }
    },
  }
  const api = useApi({ limits, settings, stores })
  const other = more.isTwice === true ? useApi({ limits, settings, stores }) : api
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  after(async () => {
    for (const id of ids) await servers[id]?.close()
  })
  const server = (id: TestProvider): ProviderServer => {
    const found = servers[id]
    if (found === undefined) throw new Error('the servers are there once the tests run')
    return found
  }
  return {
    api,
    other,
    tenant: () => tenant,
    server,
    answer: (given) => {
      model = typeof given === 'function' ? given : () => given
    },
    lastCall: (id) => {
      const call = server(id).calls.at(-1)
      if (call === undefined) throw new Error(`${id} was not called`)
      return call
    },
  }
}

/** Returns the error that a call throws. */
export async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** One black pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** Arguments of two parallel calls. */
export const TWO_CALLS = [
  { id: 'call_1', name: 'weather', input: { city: 'Paris', unit: 'celsius' } },
  { id: 'call_2', name: 'weather', input: { city: 'Oslo', unit: 'celsius' } },
] as const

/** The schema of a tool's arguments. */
export const WEATHER = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { type: 'string' } },
  required: ['city', 'unit'],
  additionalProperties: false,
}

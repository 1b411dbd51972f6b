import { GATEWAY_MODES, GATEWAY_PROVIDERS, type GatewayProviderId } from '../../../core/gateway/calls/providers.ts'
import { checkKey, isReachable } from '../../../core/gateway/protocol/upstream/check-key.ts'
import { ConnectionAnswer, ConnectionTest, ModeAnswer } from '../../../core/gateway/wire/providers.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { bareDocument, envelope } from '../../kernel/reply/answers.ts'
import { findKey } from '../../../db/gateway/provider-keys/find-key.ts'
import { keySources } from '../calls/find-reach.ts'
import { defineRoute, type GatewayServices } from '../services.ts'

export const testConnectionRoute = defineRoute({
  method: 'post',
  path: '/v1/gateway/test-connection',
  operationId: 'testGatewayConnection',
  group: 'gateway',
  summary: 'Try a key at a provider',
  description:
    'Asks for something that costs nothing, such as the list of models. `ok` only when the provider accepts the key. A given key is neither stored nor repeated; `stored` tries the one that a call would use.',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'none: nothing is read or stored',
  stores: 'bounded',
  body: ConnectionTest,
  answers: { 200: bareDocument('What the provider says', ConnectionAnswer) },
  errors: ['no_provider_key', 'request_timeout'],
}).handle(async ({ services, principal, hangUp, body: { provider: id, api_key: given } }) => {
  const provider = GATEWAY_PROVIDERS.find((one) => one.id === id)
  if (provider === undefined) throw new Error(`there is no provider ${id}`)
  const { baseUrl, apiKey, isOwnKey } = await findKey(keySources(services), {
    caller: principal,
    provider,
    given,
    usesVault: true,
  })
  const reach = { baseUrl, apiKey, signal: hangUp() }
  const { isAccepted, status, elapsedMs, error, detail } = await checkKey(services.upstream, provider, reach)
  const unowned = apiKey === '' ? ('none' as const) : ('operator' as const)
  const keyFrom = given !== undefined ? ('given' as const) : isOwnKey ? ('vault' as const) : unowned
  // What a provider says of the operator's key is the operator's alone.
  const shown = isOwnKey ? detail : null
  const body = { ok: isAccepted, provider: id, key_from: keyFrom, status, elapsed_ms: elapsedMs, error, detail: shown }
  return { status: 200, body }
})

export const getGatewayModeRoute = defineRoute({
  method: 'get',
  path: '/v1/gateway/mode',
  operationId: 'getGatewayMode',
  group: 'gateway',
  summary: 'Show where calls of models go, and which own servers answer',
  description: 'Own servers of the operator are asked with a limit of one second; any answer counts.',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'none: it is the same in every namespace',
  answers: { 200: envelope('The mode', ModeAnswer) },
  errors: ['request_timeout'],
}).handle(async ({ services, hangUp }) => {
  const signal = hangUp()
  const [ollama, vllm] = await Promise.all([
    reaches(services, 'local-ollama', signal),
    reaches(services, 'local-vllm', signal),
  ])
  const { gatewayMode: mode } = services.settings
  const body = {
    mode,
    allowed: [...GATEWAY_MODES],
    ollama_reachable: ollama,
    vllm_reachable: vllm,
    version: RUNTIME_VERSION,
  }
  return { status: 200, body }
})

/** A server without an address of the operator's is not asked: its default is this machine, where anything may listen. */
async function reaches({ settings, upstream }: GatewayServices, id: GatewayProviderId, signal: AbortSignal) {
  const baseUrl = settings.upstreams[id]?.baseUrl
  return baseUrl !== undefined && (await isReachable(upstream, baseUrl, signal))
}

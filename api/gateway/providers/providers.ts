import type { z } from 'zod'
import {
  GATEWAY_PROVIDERS,
  type GatewayProvider,
  type GatewayProviderId,
} from '../../../core/gateway/calls/providers.ts'
import { isModelProvider } from '../../../core/gateway/providers/provider-catalog.ts'
import { listChoices } from '../../../core/gateway/routing/overlay.ts'
import {
  ChangeProvidersAnswer,
  ProvidersAnswer,
  ProvidersChange,
  type ProviderView,
} from '../../../core/gateway/wire/providers.ts'
import { changeOverlay } from '../../../db/gateway/providers/change-overlay.ts'
import { readOverlay } from '../../../db/gateway/providers/read-overlay.ts'
import { listHeldProviders } from '../../../db/gateway/provider-keys/list-held-providers.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type GatewayServices } from '../services.ts'

interface Caller {
  readonly op: Operation
  readonly principal: Principal
  readonly services: GatewayServices
}

async function present({ op, principal, services }: Caller): Promise<z.input<typeof ProvidersAnswer>> {
  const [overlay, held] = await Promise.all([readOverlay(op), listHeldProviders(op, principal)])
  const providers = listChoices(overlay).map(({ provider, choice }): z.input<typeof ProviderView> => {
    const { state, opensInMs, calls, failures } = services.breakers.server(provider.id, baseUrlOf(services, provider))
    return {
      provider: provider.id,
      label: provider.label,
      enabled: choice.enabled,
      position: choice.position,
      rate_limit_rpm: choice.rateLimitRpm,
      api_key_set: hasKey({ principal, services }, provider, held),
      dialects: provider.speaks.map(([name]) => name),
      breaker: { state, retry_in_ms: Math.round(opensInMs), calls, failures },
    }
  })
  return { version: 'gateway-providers-1', providers }
}

/** The address of a provider: the operator's own where it has one. */
export function baseUrlOf({ settings }: GatewayServices, { id, baseUrl }: { id: GatewayProviderId; baseUrl: string }) {
  return settings.upstreams[id]?.baseUrl ?? baseUrl
}

/** Whether a call of the caller would find a key at a provider, or the operator's own server. */
export function hasKey(
  { principal, services }: Pick<Caller, 'principal' | 'services'>,
  { id, needsKey }: GatewayProvider & { readonly id: GatewayProviderId },
  held: ReadonlySet<string>,
): boolean {
  const operator = services.settings.upstreams[id]
  const isAnonymous = principal.kind === 'anonymous'
  if (!needsKey) return operator?.baseUrl !== undefined && !isAnonymous
  return (isModelProvider(id) && held.has(id)) || (operator?.apiKey !== undefined && !isAnonymous)
}

export const listGatewayProvidersRoute = defineRoute({
  method: 'get',
  path: '/v1/gateway/providers',
  operationId: 'listGatewayProviders',
  group: 'gateway',
  summary: 'List the providers of models with the settings of the tenant',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'none: the providers are the same in every namespace',
  answers: { 200: envelope('The providers, by position', ProvidersAnswer) },
}).handle(async ({ op, principal, services }) => ({ status: 200, body: await present({ op, principal, services }) }))

export const changeProvidersRoute = defineRoute({
  method: 'post',
  path: '/v1/gateway/providers/config',
  operationId: 'changeGatewayProviders',
  group: 'gateway',
  summary: 'Enable, order and limit providers of models for the tenant',
  description:
    'Settings that are absent stay. No call goes to a disabled provider; `rate_limit_rpm` counts the calls of the tenant at a provider over all processes; `position` orders the fallbacks of a namespace. Keys are never part of it: they belong into the vault (`POST /v1/account/provider-keys`).',
  auth: 'key',
  scope: 'provider_keys:write',
  namespace: 'refused',
  stores: 'bounded',
  body: ProvidersChange,
  answers: { 200: envelope('The providers after the change', ChangeProvidersAnswer) },
}).handle(async ({ op, principal, services, body }) => {
  const changes = GATEWAY_PROVIDERS.flatMap(({ id }) => {
    const change = body.providers[id]
    if (change === undefined) return []
    return [{ provider: id, enabled: change.enabled, position: change.position, rateLimitRpm: change.rate_limit_rpm }]
  })
  await changeOverlay(op, changes)
  services.overlays.forget(op.tenantId)
  return { status: 200, body: { saved: true as const, ...(await present({ op, principal, services })) } }
})

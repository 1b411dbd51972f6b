import { z } from 'zod'
import { GATEWAY_PROVIDERS } from '../../../core/gateway/calls/providers.ts'
import { targetIn, targetOf, type Target } from '../../../core/gateway/calls/target.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { callersError } from '../../../core/gateway/calls/answer-error.ts'
import type { ListedModel } from '../../../core/gateway/protocol/upstream/list-models.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { choiceOf, type Overlay } from '../../../core/gateway/routing/overlay.ts'
import { isOneOf, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { findKey } from '../../../db/gateway/provider-keys/find-key.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'
import { takeOfMinute } from '../calls/ask/pass-over.ts'
import { PROVIDER_FAILURES } from '../inference/declaration.ts'
import { keySources } from '../calls/find-reach.ts'
import { defineRoute, type GatewayServices, type Route } from '../services.ts'

interface Lister {
  readonly services: GatewayServices
  readonly principal: Principal
  readonly overlay: Overlay
}
type Provider = Target['provider']

/** SDKs of OpenAI, Anthropic and Google ask the same address, so an entry has the members of all three. */
const Model = z
  .object({
    id: z.string().meta({ description: 'The name that calls take', example: 'gpt-4o-mini' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Seconds since 1970; 0 where the provider does not say' }),
    owned_by: z.string().meta({ description: 'The provider' }),
    type: z.literal('model'),
    display_name: z.string(),
    created_at: z.string(),
    name: z.string().meta({ description: '`models/` and the id' }),
    displayName: z.string(),
    supportedGenerationMethods: z.array(z.string()),
  })
  .meta({ id: 'ProviderModel', description: 'A model in the forms of OpenAI, Anthropic and Google' })
type Model = z.output<typeof Model>

const ModelList = z
  .object({
    object: z.literal('list'),
    data: z.array(Model),
    has_more: z.literal(false),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    models: z.array(Model).meta({ description: "The same entries, where Google's SDKs look for them" }),
  })
  .meta({ id: 'ProviderModelList' })

/**
 * Lists the models of a provider. Throws `no_provider_key`, `rate_limited` where the tenant's calls of the minute are used up,
 * and the provider's failure in the caller's terms.
 */
async function modelsAt(provider: Provider, { services, principal, overlay }: Lister): Promise<readonly Model[]> {
  const { isOwnKey, ...reach } = await findKey(keySources(services), {
    caller: principal,
    provider,
    given: undefined,
    usesVault: true,
    marksUse: false,
  })
  try {
    const listed = await services.modelLists.list(provider, reach, async () => {
      const refusal = await takeOfMinute(services, overlay, { tenantId: principal.tenantId, provider })
      if (refusal !== null) throw refusal
    })
    return listed.map((model) => present(provider, model))
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    throw callersError(error, { provider: provider.id, isOwnKey, isTranslated: true })
  }
}

/** The same for a list of several: empty where one gives no models. */
async function modelsIfAny(provider: Provider, lister: Lister): Promise<readonly Model[]> {
  try {
    return await modelsAt(provider, lister)
  } catch (error) {
    if (isOneOf(error, [GATEWAY_ERRORS.no_provider_key, KERNEL_ERRORS.rate_limited])) return []
    if (error instanceof Error && error.cause instanceof ProviderError) return []
    throw error
  }
}

function present({ id: owner }: Provider, { name, label, createdS }: ListedModel): Model {
  const id = leadsTo(name) === owner ? name : `${owner}:${name}`
  return {
    id,
    object: 'model',
    created: createdS,
    owned_by: owner,
    type: 'model',
    display_name: label,
    created_at: new Date(createdS * 1000).toISOString(),
    name: `models/${id}`,
    displayName: label,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent'],
  }
}

/** The provider to which a name leads by itself. */
function leadsTo(name: string): string | null {
  try {
    return targetOf(name).provider.id
  } catch (error) {
    if (isOneOf(error, [GATEWAY_ERRORS.unknown_model])) return null
    throw error
  }
}

/** The providers that calls of the tenant may reach. */
function enabledProviders({ services, overlay }: Lister): readonly Provider[] {
  const { gatewayMode: mode } = services.settings
  const enabled = GATEWAY_PROVIDERS.filter(({ id }) => choiceOf(overlay, id).enabled)
  return mode === 'cloud' ? enabled : enabled.filter(({ id }) => id === mode)
}

/** Runs one list of a tenant among its calls under way. Throws `rate_limited`. */
async function within<T>({ services, principal }: Omit<Lister, 'overlay'>, work: () => Promise<T>): Promise<T> {
  const leave = services.streams.enter(`model calls of ${principal.tenantId}`, services.limits.gateway_calls_per_tenant)
  try {
    return await work()
  } finally {
    leave()
  }
}

const LISTING = {
  method: 'get',
  group: 'gateway',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'none: the models are the same in every namespace',
} as const

const SHAPES = {
  v1: DIALECT_ERRORS['chat-completions'],
  v1beta: DIALECT_ERRORS['generate-content'],
} as const

function listRoute(version: keyof typeof SHAPES, operationId: string) {
  return defineRoute({
    ...LISTING,
    path: `/${version}/models`,
    operationId,
    summary: 'List the models that calls can name',
    description:
      'Asks each provider at which a call of the caller would find a key, and leaves out one that does not answer within five seconds, or at which the calls of this minute are used up. Answers are kept for a minute. The body has the members that the SDKs of OpenAI, Anthropic and Google read. It is one page, whatever page a caller asks for.',
    errorShape: SHAPES[version],
    answers: { 200: bareDocument('The models', ModelList) },
  }).handle(async ({ services, principal }) => {
    const data = await within({ services, principal }, async () => {
      const lister = { services, principal, overlay: await services.overlays.read(principal.tenantId) }
      const asked = enabledProviders(lister).map(async (provider) => await modelsIfAny(provider, lister))
      return (await Promise.all(asked)).flat()
    })
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { status: 200, body: { object: 'list', data, has_more: false, ...ends, models: data } }
  })
}

function modelRoute(version: keyof typeof SHAPES, operationId: string) {
  return defineRoute({
    ...LISTING,
    path: `/${version}/models/{model}`,
    operationId,
    summary: 'Read a model that calls can name',
    description:
      'As an entry of the list. A model that its provider does not list is 404; a provider without a key, or without an answer, gets the error that a call would.',
    errorShape: SHAPES[version],
    params: z.object({
      model: z.string().min(1).max(300).meta({ description: 'The id of a model', example: 'gpt-4o' }),
    }),
    answers: { 200: bareDocument('The model', Model) },
    errors: ['no_provider_key', ...PROVIDER_FAILURES],
  }).handle(async ({ services, principal, params: { model: name } }) => {
    const lister = { services, principal, overlay: await services.overlays.read(principal.tenantId) }
    const missing = KERNEL_ERRORS.not_found('there is no such model; GET /v1/models lists those that calls can name')
    if (leadsTo(name) === null) throw missing
    const target = targetIn(services.settings.gatewayMode, targetOf(name))
    if (!enabledProviders(lister).some(({ id }) => id === target.provider.id)) throw missing
    const models = await within(lister, async () => await modelsAt(target.provider, lister))
    const id = present(target.provider, { name: target.model, label: '', createdS: 0 }).id
    const found = models.find((model) => model.id === id)
    if (found === undefined) throw missing
    return { status: 200, body: found }
  })
}

/** The routes that list models. */
export const MODEL_ROUTES: readonly Route[] = [
  listRoute('v1', 'listModels'),
  modelRoute('v1', 'getModel'),
  listRoute('v1beta', 'listModelsBeta'),
  modelRoute('v1beta', 'getModelBeta'),
]

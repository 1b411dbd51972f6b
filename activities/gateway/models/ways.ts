import { setTimeout as sleep } from 'node:timers/promises'
import { translatedBy } from '../../../core/gateway/calls/prepare.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import { worstCaseOf } from '../../../core/gateway/calls/worst-case.ts'
import type { ModelCaller, OpenModel } from '../../../core/gateway/ports.ts'
import { providerOver } from '../../../core/gateway/providers/http-provider.ts'
import { pricesOf, worstCaseMicros, type KnownPrices } from '../../../core/gateway/providers/prices.ts'
import type { Provider, ProviderRequest } from '../../../core/gateway/providers/provider.ts'
import { choiceOf } from '../../../core/gateway/routing/overlay.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { keyNow, resolveModel, type ResolvedModel } from '../../../db/gateway/models/resolve-model.ts'
import type { FoundKey } from '../../../db/gateway/provider-keys/find-key.ts'
import type { ModelDeps, OperatorTeacher } from './deps.ts'

/** A provider that can be asked now, and whether the key is the tenant's. */
export interface ReadyProvider {
  readonly provider: Provider
  readonly isOwnKey: boolean
}

/** The way to a model: its target and its key. */
export interface Way {
  readonly identity: OpenModel['identity']
  readonly provider: Provider
  /**
   * Finds the key that counts now and waits until the tenant's own limit of calls a minute lets one pass. Throws
   * `provider_disabled`, `no_provider_key`, and the signal's reason.
   */
  ready(signal: AbortSignal): Promise<ReadyProvider>
  /** The most that a question can cost, in millionths of a US dollar; null where no price is known. */
  most(request: ProviderRequest, body: JsonObject): number | null
}

/** Of a server of the operator's own. */
const FREE: KnownPrices = { input: 0, cached: 0, output: 0, source: 'operator' }
/** The provider that the operator's teacher is named as. */
const OPERATOR = 'operator'

/** Finds the way to a model by its name. Throws `unknown_model`, `provider_disabled` and `no_provider_key`. */
export async function findWay(deps: ModelDeps, caller: ModelCaller, name: string): Promise<Way> {
  const resolved = await resolveModel(deps, caller, name)
  if (resolved.kind === 'target') return wayTo(deps, caller, resolved)
  if (deps.teacher === null) throw new Error('a teacher was found where the operator has none')
  return wayToTeacher(deps.teacher)
}

function wayTo(
  deps: ModelDeps,
  caller: ModelCaller,
  { target, key: first }: Extract<ResolvedModel, { readonly kind: 'target' }>,
): Way {
  const { provider: owner, model } = target
  const [dialect, prefix] = translatedBy(target)
  const made = (key: FoundKey): Provider =>
    providerOver(deps.upstream, {
      dialect,
      baseUrl: `${key.baseUrl}${prefix}`,
      apiKey: key.apiKey,
      model,
      timeoutMs: deps.limits.gateway_timeout_s * 1000,
    })
  let key = first
  let provider = made(key)
  return {
    identity: {
      provider: owner.id,
      model,
      prices: owner.needsKey ? pricesOf(model, undefined) : FREE,
      isLocal: !owner.needsKey,
    },
    provider,
    async ready(signal) {
      const next = await keyNow(deps, caller, target)
      // What a provider learned of its server is kept while its key is the same.
      if (next.apiKey !== key.apiKey || next.baseUrl !== key.baseUrl) provider = made(next)
      key = next
      await waitForTurn(deps, caller, target, signal)
      return { provider, isOwnKey: key.isOwnKey }
    },
    most: (_request, body) => worstCaseOf(target, body, undefined),
  }
}

/** The calls of a minute that the tenant allows a provider count for work too: it waits for the next minute. */
async function waitForTurn(
  { overlays, rates }: ModelDeps,
  { tenantId }: ModelCaller,
  { provider }: Target,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const { rateLimitRpm } = choiceOf(await overlays.read(tenantId), provider.id)
    if (rateLimitRpm === 0) return
    const { isAllowed, resetMs } = await rates.take(tenantId, provider.id, rateLimitRpm)
    if (isAllowed) return
    await sleep(Math.max(1, resetMs), undefined, { signal })
  }
}

function wayToTeacher({ provider, prices, isLocal }: OperatorTeacher): Way {
  return {
    identity: { provider: OPERATOR, model: provider.model, prices, isLocal },
    provider,
    ready: async () => ({ provider, isOwnKey: false }),
    most: (request) => (prices === null ? null : worstCaseMicros(prices, request)),
  }
}

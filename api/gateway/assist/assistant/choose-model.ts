import { targetAt, targetOf, type Target } from '../../../../core/gateway/calls/target.ts'
import type { GatewayProviderId } from '../../../../core/gateway/calls/providers.ts'
import { vaultKey } from '../../../../db/gateway/provider-keys/find-key.ts'
import { choiceOf, listChoices } from '../../../../core/gateway/routing/overlay.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import type { GatewayServices } from '../../services.ts'

/** The namespace of the assistant's calls: they are no traffic to learn from. */
export const ASSISTANT_NAMESPACE = 'assistant'

/** Models that answer from given text well enough, and are among the cheapest of their providers. */
const MODELS: Readonly<Partial<Record<GatewayProviderId, string>>> = {
  openai: 'gpt-4.1-mini',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-2.5-flash',
}

/**
 * Chooses the model that answers: the one that the caller names, the first of the namespace's `route_chain`, else that of
 * the first provider for which the tenant or the operator has a key. Null when none is at hand. Throws `unknown_model`.
 */
export async function chooseModel(
  services: GatewayServices,
  principal: Principal,
  named: string | undefined,
): Promise<Target | null> {
  if (named !== undefined) return targetOf(named)
  const { route_chain: chain } = await services.namespaces.read(principal.tenantId, ASSISTANT_NAMESPACE)
  const overlay = await services.overlays.read(principal.tenantId)
  const usual = chain.map((entry) => targetOf(entry)).find(({ provider }) => choiceOf(overlay, provider.id).enabled)
  if (usual !== undefined) return usual
  // One server of the operator's own: its models are unknown here.
  if (services.settings.gatewayMode !== 'cloud') return null
  for (const { provider, choice } of listChoices(overlay)) {
    const model = MODELS[provider.id]
    if (model === undefined || !choice.enabled) continue
    if (await hasKey(services, principal, provider.id)) return targetAt(provider.id, model)
  }
  return null
}

async function hasKey(services: GatewayServices, principal: Principal, provider: GatewayProviderId): Promise<boolean> {
  if (principal.kind !== 'anonymous' && services.settings.upstreams[provider]?.apiKey !== undefined) return true
  return (await vaultKey(services, principal, provider)) !== undefined
}

import type { CallPath } from '../../../../core/gateway/routing/breakers.ts'
import type { Target } from '../../../../core/gateway/calls/target.ts'
import { choiceOf, type Overlay } from '../../../../core/gateway/routing/overlay.ts'
import type { PassedOver } from '../../../../core/gateway/record/attempt.ts'
import { KERNEL_ERRORS, type DomainError } from '../../../../core/kernel/errors.ts'
import type { GatewayServices } from '../../services.ts'
import type { OpenCall } from '../open-call.ts'
import type { FoundReach } from '../find-reach.ts'
import type { CallPlan } from '../read-plan.ts'

/** The path of a call, which its breakers know. */
export function pathOf({ target, baseUrl, apiKey }: FoundReach): CallPath {
  return { provider: target.provider.id, baseUrl, apiKey }
}

/**
 * Returns why a target is passed over in favour of the next: its breaker is open, or the tenant's calls of this minute
 * are used up; null for one that is asked. The last target is asked whatever its breaker says. Throws `rate_limited`
 * when the tenant's own limit refuses the last one.
 */
export async function whyPassedOver(
  { services, facts }: OpenCall,
  { overlay }: CallPlan,
  reach: FoundReach,
  hasNext: boolean,
): Promise<Extract<PassedOver, 'circuit_open' | 'over_limit'> | null> {
  const refusal = await takeOfMinute(services, overlay, { tenantId: facts.tenantId, provider: reach.target.provider })
  if (refusal !== null && hasNext) return 'over_limit'
  if (refusal !== null) throw refusal
  const admits = services.breakers.admits(pathOf(reach))
  return !admits && hasNext ? 'circuit_open' : null
}

/** Takes one of the calls a minute that a tenant allows a provider. Returns `rate_limited` where they are used up, else null. */
export async function takeOfMinute(
  { providerRates }: Pick<GatewayServices, 'providerRates'>,
  overlay: Overlay,
  { tenantId, provider }: { readonly tenantId: string; readonly provider: Target['provider'] },
): Promise<DomainError | null> {
  const { rateLimitRpm } = choiceOf(overlay, provider.id)
  if (rateLimitRpm === 0) return null
  const { isAllowed, resetMs } = await providerRates.take(tenantId, provider.id, rateLimitRpm)
  if (isAllowed) return null
  const message = `the ${rateLimitRpm} calls a minute that this tenant allows ${provider.label} are used up`
  return KERNEL_ERRORS.rate_limited(message, { retryAfterS: Math.max(1, Math.ceil(resetMs / 1000)) })
}

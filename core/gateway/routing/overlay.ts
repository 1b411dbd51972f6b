import { invalidField } from '../../kernel/errors.ts'
import { GATEWAY_PROVIDERS, type GatewayProviderId } from '../calls/providers.ts'
import type { Target } from '../calls/target.ts'
import { GATEWAY_ERRORS } from '../errors.ts'

/** A tenant's settings of one provider. */
export interface ProviderChoice {
  /** False: no call goes there. */
  readonly enabled: boolean
  /** Place among the fallbacks of a namespace, lowest first. */
  readonly position: number
  /** Calls a minute; 0 for no limit. */
  readonly rateLimitRpm: number
}

/** A tenant's settings by provider; what is absent has the defaults. */
export type Overlay = ReadonlyMap<string, ProviderChoice>

/** The settings of a provider that the tenant did not change: enabled, without a limit, at its place in the list. */
export function choiceOf(overlay: Overlay, id: GatewayProviderId): ProviderChoice {
  const place = GATEWAY_PROVIDERS.findIndex((provider) => provider.id === id)
  return overlay.get(id) ?? { enabled: true, position: place, rateLimitRpm: 0 }
}

/** Throws `provider_disabled` for a provider to which the tenant sends no call; `field` names what leads there. */
export function requireEnabled(overlay: Overlay, { id, label }: Target['provider'], field: string): void {
  if (choiceOf(overlay, id).enabled) return
  throw invalidField(field, `${label} is disabled for this tenant`, GATEWAY_ERRORS.provider_disabled)
}

/** The providers with a tenant's settings, in the order of their positions. */
export function listChoices(overlay: Overlay) {
  return GATEWAY_PROVIDERS.map((provider) => ({ provider, choice: choiceOf(overlay, provider.id) })).toSorted(
    (a, b) => a.choice.position - b.choice.position,
  )
}

/**
 * The targets of a call under a tenant's settings: without those of disabled providers; a namespace's fallbacks in the
 * order of their providers' positions. Throws `provider_disabled` when that of the caller itself is disabled.
 */
export function arrange(
  overlay: Overlay,
  {
    first,
    named,
    usual,
  }: {
    readonly first: Target
    /** Fallbacks that the caller named, in its order. */
    readonly named: readonly Target[]
    /** Fallbacks of the namespace. */
    readonly usual: readonly Target[]
  },
): readonly Target[] {
  const { provider } = first
  requireEnabled(overlay, provider, 'model')
  const place = (target: Target): number => choiceOf(overlay, target.provider.id).position
  const fallbacks = named.length > 0 ? named : usual.toSorted((a, b) => place(a) - place(b))
  const seen = new Set([nameOf(first)])
  return [
    first,
    ...fallbacks.filter((target) => {
      const isNew = !seen.has(nameOf(target))
      seen.add(nameOf(target))
      return isNew && choiceOf(overlay, target.provider.id).enabled
    }),
  ]
}

function nameOf({ provider, model }: Target): string {
  return `${provider.id}:${model}`
}

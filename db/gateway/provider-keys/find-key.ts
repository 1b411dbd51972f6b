import type { OperatorUpstreams } from '../../../core/gateway/calls/providers.ts'
import type { Reach } from '../../../core/gateway/calls/prepare.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { isModelProvider } from '../../../core/gateway/providers/provider-catalog.ts'
import type { Principal } from '../../kernel/tenant/principal.ts'
import type { VaultReader } from './vault-reader.ts'

/** Sources in which the keys of calls are found. */
export interface KeySources {
  /** Addresses and keys of the operator. */
  readonly upstreams: OperatorUpstreams
  readonly vault: Pick<VaultReader, 'find' | 'close'>
  readonly now: () => Date
}

/** Whose keys count. */
export interface KeyCaller extends Pick<Principal, 'tenantId' | 'memberId' | 'teamId'> {
  readonly kind: Principal['kind'] | 'system'
}

/** The address of a provider and the key that a call has there. */
export interface FoundKey extends Pick<Reach, 'apiKey' | 'baseUrl'> {
  /** Whether the key is the caller's own. */
  readonly isOwnKey: boolean
}

/**
 * Finds address and key of a provider for a caller: a given key, then the member's and the team's of the vault, then the
 * operator's. Throws `no_provider_key`.
 */
export async function findKey(
  sources: KeySources,
  {
    caller,
    provider,
    given,
    usesVault,
    marksUse = true,
  }: {
    readonly caller: KeyCaller
    readonly provider: Target['provider']
    readonly given: string | undefined
    readonly usesVault: boolean
    /** False for what is no use of a stored key: it keeps the time of its last one. */
    readonly marksUse?: boolean
  },
): Promise<FoundKey> {
  const operator = sources.upstreams[provider.id]
  const baseUrl = operator?.baseUrl ?? provider.baseUrl
  const own = given ?? (usesVault ? await vaultKey(sources, caller, provider.id, marksUse) : undefined)
  if (!provider.needsKey && operator?.baseUrl === undefined) {
    throw GATEWAY_ERRORS.no_provider_key(`the operator has set no address for ${provider.label}`)
  }
  const isAnonymous = caller.kind === 'anonymous'
  if (isAnonymous && !provider.needsKey) {
    throw GATEWAY_ERRORS.no_provider_key(`${provider.label} serves no anonymous workspaces`)
  }
  if (own !== undefined) return { baseUrl, apiKey: own, isOwnKey: true }
  const apiKey = isAnonymous ? undefined : (operator?.apiKey ?? (provider.needsKey ? undefined : ''))
  if (apiKey !== undefined) return { baseUrl, apiKey, isOwnKey: false }
  throw GATEWAY_ERRORS.no_provider_key(
    `no key for ${provider.label}: store one with POST /v1/account/provider-keys, send it as x-upstream-api-key, or have the operator set ${provider.keyVariables[0]}`,
  )
}

/** Returns the key of the vault that a caller has at a provider; undefined for none. */
export async function vaultKey(
  { vault, now }: Pick<KeySources, 'vault' | 'now'>,
  { tenantId, memberId, teamId }: Pick<KeyCaller, 'tenantId' | 'memberId' | 'teamId'>,
  provider: string,
  marksUse = true,
): Promise<string | undefined> {
  if (!isModelProvider(provider)) return undefined
  const found = await vault.find({ tenantId, memberId, teamId, provider, now: now(), marksUse })
  return found?.value
}

import type { IncomingMessage } from 'node:http'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { Reach } from '../../../core/gateway/calls/prepare.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { isModelProvider } from '../../../core/gateway/providers/provider-catalog.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { GatewayServices } from '../services.ts'
import type { InferenceCall } from './open-call.ts'

/** A reach, and whether its key is the caller's own. */
export interface FoundReach extends Reach {
  readonly isOwnKey: boolean
}

/** Headers that providers know and callers may set. */
const PASSED_HEADERS = ['anthropic-version', 'anthropic-beta', 'openai-beta', 'http-referer', 'x-title'] as const
const MOST_KEY_CHARS = 8192

/**
 * Finds address and key of a target: the key of the header, then the member's and the team's of the vault, then the
 * operator's, which serves accounts and no anonymous workspaces; neither do the operator's own servers, which may take any
 * key. A key of a header is sent to the target that the caller named first and to no other. Throws `no_provider_key`.
 */
export async function findReach(
  { services, principal, request, visitor, anthropicKey }: InferenceCall,
  { target, isFirst }: { readonly target: Target; readonly isFirst: boolean },
): Promise<FoundReach> {
  const { provider } = target
  const sent = isFirst && provider.id === 'anthropic' ? anthropicKey : undefined
  const given = (isFirst ? givenKey(request, provider.id) : undefined) ?? sent
  const found = await findKey(services, { principal, provider, given, usesVault: visitor === undefined })
  return { ...found, target, callerHeaders: passedHeaders(request) }
}

/** Finds address and key of a provider for a caller, and whether the key is the caller's own. Throws `no_provider_key`. */
export async function findKey(
  services: GatewayServices,
  {
    principal,
    provider,
    given,
    usesVault,
  }: {
    readonly principal: Principal
    readonly provider: Target['provider']
    readonly given: string | undefined
    readonly usesVault: boolean
  },
): Promise<Pick<FoundReach, 'apiKey' | 'baseUrl' | 'isOwnKey'>> {
  const operator = services.settings.upstreams[provider.id]
  const baseUrl = operator?.baseUrl ?? provider.baseUrl
  const own = given ?? (usesVault ? await vaultKey(services, principal, provider.id) : undefined)
  if (!provider.needsKey && operator?.baseUrl === undefined) {
    throw GATEWAY_ERRORS.no_provider_key(`the operator has set no address for ${provider.label}`)
  }
  const isAnonymous = principal.kind === 'anonymous'
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

function givenKey(request: IncomingMessage, provider: string): string | undefined {
  const named = provider === 'anthropic' ? request.headers['x-anthropic-api-key'] : undefined
  const key = request.headers['x-upstream-api-key'] ?? named
  return key === undefined ? undefined : requireKeyText(key)
}

/** Returns a caller's key at a provider. Throws `validation_failed` for what is none. */
export function requireKeyText(key: string | readonly string[], field = 'x-upstream-api-key'): string {
  if (typeof key !== 'string' || key.length > MOST_KEY_CHARS || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalidField(field, `must be at most ${MOST_KEY_CHARS} printable ASCII characters`)
  }
  return key
}

async function vaultKey(
  { vault, now }: GatewayServices,
  { tenantId, memberId, teamId }: Principal,
  provider: string,
): Promise<string | undefined> {
  if (!isModelProvider(provider)) return undefined
  const found = await vault.find({ tenantId, memberId, teamId, provider, now: now() })
  return found?.value
}

function passedHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    PASSED_HEADERS.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

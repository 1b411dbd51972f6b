import type { GatewayMode } from '../../../core/gateway/calls/providers.ts'
import { targetIn, targetOf, type Target } from '../../../core/gateway/calls/target.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import type { ModelCaller } from '../../../core/gateway/ports.ts'
import { arrange, type Overlay } from '../../../core/gateway/routing/overlay.ts'
import type { Database } from '../../kernel/database.ts'
import type { TenantCache } from '../../kernel/tenant/tenant-cache.ts'
import { findKey, vaultKey, type FoundKey, type KeySources } from '../provider-keys/find-key.ts'
import { requireTenant } from './require-tenant.ts'

/** Sources in which models are found. */
export interface ModelSources extends KeySources {
  readonly db: Database
  readonly overlays: Pick<TenantCache<Overlay>, 'read'>
  readonly gatewayMode: GatewayMode
  /** The name of the operator's teacher; null without one. */
  readonly teacherModel: string | null
}

/** The target of a model's name for a caller: the operator's teacher, or a provider with the key that counts. */
export type ResolvedModel =
  | { readonly kind: 'teacher' }
  | { readonly kind: 'target'; readonly target: Target; readonly key: FoundKey }

/**
 * Finds what answers to the name of a model for work of a tenant, as a call of the gateway finds it: the operator's teacher
 * to its own name, unless the tenant has a key for it. Throws `unknown_model`, `provider_disabled` and `no_provider_key`.
 */
export async function resolveModel(sources: ModelSources, caller: ModelCaller, name: string): Promise<ResolvedModel> {
  if (sources.teacherModel === name && !(await hasOwnKey(sources, caller, name))) {
    const { kind } = await requireTenant(sources.db, caller.tenantId)
    if (kind !== 'anonymous') return { kind: 'teacher' }
    throw GATEWAY_ERRORS.no_provider_key("the operator's teacher serves no anonymous workspaces")
  }
  const target = targetIn(sources.gatewayMode, targetOf(name))
  return { kind: 'target', target, key: await keyNow(sources, caller, target) }
}

/** Finds the key that counts now for a target. Throws `provider_disabled` and `no_provider_key`. */
export async function keyNow(sources: ModelSources, caller: ModelCaller, target: Target): Promise<FoundKey> {
  arrange(await sources.overlays.read(caller.tenantId), { first: target, named: [], usual: [] })
  const { kind } = await requireTenant(sources.db, caller.tenantId)
  return await findKey(sources, {
    caller: { ...caller, kind: kind === 'anonymous' ? 'anonymous' : 'system' },
    provider: target.provider,
    given: undefined,
    usesVault: true,
  })
}

async function hasOwnKey(sources: ModelSources, caller: ModelCaller, name: string): Promise<boolean> {
  if (sources.gatewayMode !== 'cloud') return false
  try {
    return (await vaultKey(sources, caller, targetOf(name).provider.id)) !== undefined
  } catch (error) {
    if (GATEWAY_ERRORS.unknown_model.matches(error)) return false
    throw error
  }
}

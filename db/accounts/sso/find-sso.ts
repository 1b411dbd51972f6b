import {
  GRANTED_ROLES,
  SSO_PROVIDERS,
  type GrantedRole,
  type SsoSettings,
} from '../../../core/accounts/sso-settings.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import type { Database } from '../../kernel/database.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { SsoConfigEntity, type SsoConfig } from './sso-config.ts'

/** A tenant that somebody wants to sign in to. */
export interface SsoTenant {
  readonly id: string
  readonly name: string
  readonly plan: PlanId
}

/** How a tenant's members sign in; null when nothing was configured. */
export async function findSsoConfig(db: Database, tenantId: string): Promise<SsoConfig | null> {
  return await forkForTenant(db, tenantId).findOne(SsoConfigEntity, { tenantId })
}

/** The tenant of this id or name, if it is somebody's and still there. */
export async function findSsoTenant(db: Database, org: string): Promise<SsoTenant | null> {
  // Ids and names are made of these; everything else is nobody's.
  if (!/^[0-9a-z_-]{1,100}$/.test(org)) return null
  const [tenant] = await db.query<SsoTenant>(
    `select id, name, plan from tenants where (id = $1 or name = $1) and kind = 'user' and deleted_at is null`,
    [org],
  )
  return tenant ?? null
}

/** The one tenant that signs people in through a provider of this name; null when several do, or none. */
export async function findTenantByIssuer(db: Database, idpEntityId: string): Promise<SsoTenant | null> {
  const [tenant, ...others] = await db.query<SsoTenant>(
    `select t.id, t.name, t.plan from sso_configs s join tenants t on t.id = s.tenant_id
     where s.idp_entity_id = $1 and s.is_enabled and t.deleted_at is null limit 2`,
    [idpEntityId],
  )
  return tenant === undefined || others.length > 0 ? null : tenant
}

/** The settings that a row holds. */
export function settingsOf(config: SsoConfig): SsoSettings {
  return {
    provider: SSO_PROVIDERS.find((known) => known === config.provider) ?? 'saml-generic',
    isEnabled: config.isEnabled,
    domains: config.domains,
    metadataUrl: config.metadataUrl ?? null,
    metadataSha256: config.metadataSha256 ?? null,
    idpEntityId: config.idpEntityId ?? null,
    ssoUrl: config.ssoUrl ?? null,
    idpCerts: config.idpCerts,
    samlAudience: config.samlAudience ?? null,
    oidcIssuer: config.oidcIssuer ?? null,
    oidcClientId: config.oidcClientId ?? null,
    defaultRole: grantedRole(config.defaultRole),
    isJit: config.isJit,
    groupRoles: Object.fromEntries(
      Object.entries(config.groupRoles).map(([group, role]) => [group, grantedRole(role)] as const),
    ),
    isScimEnabled: config.isScimEnabled,
  }
}

/** The column's type knows owners; what is stored never names one, and would not count if it did. */
function grantedRole(role: Role): GrantedRole {
  return GRANTED_ROLES.find((known) => known === role) ?? 'viewer'
}

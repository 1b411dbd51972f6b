import {
  GRANTED_ROLES,
  SSO_PROVIDERS,
  type GrantedRole,
  type SsoSettings,
} from '../../../core/accounts/sign-in/sso-settings.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { SSO_COLUMNS, type SsoConfig } from './sso-config.ts'

/** Returns the sign-in settings of a tenant; null when none were configured. */
export async function findSsoConfig(db: Database, tenantId: string): Promise<SsoConfig | null> {
  const [config] = await tenantOf(db, tenantId).read((q) =>
    q.selectFrom('sso_configs').select(SSO_COLUMNS).where('tenant_id', '=', tenantId),
  )
  return config ?? null
}

/** Returns the settings in a row. */
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

/** Removes owner from the column's type: a stored value never is one, and would not count. */
function grantedRole(role: Role): GrantedRole {
  return GRANTED_ROLES.find((known) => known === role) ?? 'viewer'
}

import { DomainError } from '../../../core/errors.ts'
import type { SsoSettings } from '../../../core/identity/sso-settings.ts'
import type { Database } from '../../../db/database.ts'
import { findSsoConfig, settingsOf, type SsoTenant } from '../../../db/sso/find-sso.ts'
import { requireEntitled } from '../../../db/sso/may-configure.ts'
import type { SsoConfig } from '../../../db/sso/sso-config.ts'

/** A tenant whose members sign in through its identity provider. */
export interface TenantSso {
  readonly tenant: SsoTenant
  readonly config: SsoConfig
  readonly settings: SsoSettings
}

/**
 * The sign-in of a tenant that was looked up. Throws `sso_tenant_not_resolved`, `enterprise_only` and
 * `sso_not_configured`.
 */
export async function requireSso(db: Database, tenant: SsoTenant | null): Promise<TenantSso> {
  if (tenant === null) {
    throw new DomainError('sso_tenant_not_resolved', 'no organisation was found for this sign-in')
  }
  requireEntitled(tenant.plan)
  const config = await findSsoConfig(db, tenant.id)
  if (config === null || !config.isEnabled) {
    throw new DomainError('sso_not_configured', 'single sign-on is not set up for this organisation')
  }
  return { tenant, config, settings: settingsOf(config) }
}

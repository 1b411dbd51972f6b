import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { SsoSettings } from '../../../core/accounts/sign-in/sso-settings.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { SsoTenant } from '../../../db/accounts/across/sign-in/find-sso-tenant.ts'
import { findSsoConfig, settingsOf } from '../../../db/accounts/sso/find-sso.ts'
import { isEntitled } from '../../../db/accounts/sso/may-configure.ts'
import type { SsoConfig } from '../../../db/accounts/sso/sso-config.ts'

/** A tenant whose members sign in through its identity provider. */
export interface TenantSso {
  readonly tenant: SsoTenant
  readonly config: SsoConfig
  readonly settings: SsoSettings
}

/**
 * Returns the single sign-on of a tenant. Callers are not authenticated, so a tenant without single sign-on gets the
 * same `sso_tenant_not_resolved` as one that does not exist, and no answer reveals a plan. Throws `enterprise_only` for a
 * sign-in that ended with the plan.
 */
export async function requireSso(db: Database, tenant: SsoTenant | null): Promise<TenantSso> {
  const config = tenant === null ? null : await findSsoConfig(db, tenant.id)
  if (tenant === null || config === null || !config.isEnabled) {
    throw ACCOUNTS_ERRORS.sso_tenant_not_resolved('no organisation with single sign-on was found for this sign-in')
  }
  if (!isEntitled(tenant.plan)) {
    throw ACCOUNTS_ERRORS.enterprise_only('the plan of this organisation does not include single sign-on')
  }
  return { tenant, config, settings: settingsOf(config) }
}

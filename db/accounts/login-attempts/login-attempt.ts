import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A person sent to an external provider who has not returned yet. */
export const LoginAttemptEntity = defineTable({
  name: 'LoginAttempt',
  tableName: 'login_attempts',
  properties: {
    id: p.text().primary(),
    kind: p.enum(['google', 'github', 'oidc', 'saml'] as const),
    /** SHA-256 of the state, or of the id of the SAML request. */
    stateHash: bytes().unique(),
    /** SHA-256 of the cookie of the browser that was sent. */
    browserHash: bytes(),
    /** Secrets that stay in the service: the verifier, the nonce. */
    sealed: bytes(),
    /** Page to open afterwards. */
    returnTo: p.text(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').nullable().deleteRule('no action'),
    createdAt: instant(),
    expiresAt: instant(),
    usedAt: instant().nullable(),
  },
  indexes: [{ properties: ['expiresAt'] }, { properties: ['tenantId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has no identity provider' },
    purge: 'goes',
    export: { leftOut: 'secrets of sign-ins that are under way' },
    sealed: { sealed: { purpose: `'login'` } },
    sweeps: [{ name: 'logins', summary: 'Remove expired sign-in attempts', by: 'expiresAt' }],
  },
})

import type { EntityManager } from '@mikro-orm/postgresql'

/**
 * The one filter that keeps tenants apart in the ORM: it is on by default for every entity with a tenant, and a
 * query without a tenant set fails. Code that serves no tenant switches it off for one query with `{filters: false}`.
 * SQL beside the ORM names the tenant itself.
 */
export const TENANT_FILTER = {
  name: 'tenant',
  default: true,
  cond: (set: { tenantId?: string }) => {
    if (set.tenantId === undefined) throw new Error('a query on rows of tenants without a tenant')
    return { tenantId: set.tenantId }
  },
  entity: [
    'ApiKey',
    'Session',
    'ReceiptSecret',
    'AuditEntry',
    'CompileJob',
    'Concept',
    'Version',
    'Artifact',
    'EvidenceNode',
    'QuotaPeriod',
    'BillingAccount',
    'Invoice',
    'Refund',
    'Dunning',
    'CheckoutSession',
    'Subscription',
    'AdapterManifest',
    'ControlEvent',
    'ExportDeclaration',
    'ExternalIdentity',
    'Invitation',
    'Member',
    'ProviderKey',
    'ShareLink',
    'SsoConfig',
    'Team',
    'TeamMember',
  ],
}

/** A new entity manager that sees the rows of one tenant only. */
export function forkForTenant(db: { fork(): EntityManager }, tenantId: string): EntityManager {
  const em = db.fork()
  em.setFilterParams('tenant', { tenantId })
  return em
}

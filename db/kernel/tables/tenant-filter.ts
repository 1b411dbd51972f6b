import type { AnyTable } from './define-table.ts'

/**
 * Returns the filter that keeps tenants apart in the ORM: it is on by default for every table with a tenant column, and
 * a query without a tenant fails. Code that serves no tenant switches it off for one query with `{filters: false}`.
 * Policies bound SQL outside the ORM.
 */
export function createTenantFilter(tables: readonly AnyTable[]) {
  return {
    name: 'tenant',
    default: true,
    cond: (set: { tenantId?: string }) => {
      if (set.tenantId === undefined) throw new Error('a query on rows of tenants without a tenant')
      return { tenantId: set.tenantId }
    },
    entity: tables.filter(({ facts }) => facts.tenant === 'row').map(({ meta }) => meta.className),
  }
}

import { p } from '@mikro-orm/core'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** Cost of a namespace's calls at providers in one calendar month (UTC), kept while the namespace has a budget. */
export const BudgetPeriodEntity = defineTable({
  name: 'BudgetPeriod',
  tableName: 'budget_periods',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    namespace: p.text().primary(),
    /** `YYYY-MM`. */
    period: p.text().primary(),
    /** Millionths of a US dollar. */
    spentMicros: bigCount(),
    /** Likewise: the most that the calls under way can cost. */
    reservedMicros: bigCount(),
  },
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: 'the workspace had its own budgets' },
    purge: 'goes',
    export: {
      section: 'gateway_budgets',
      key: ['namespace', 'period'],
      columns: {
        tenantId: 'the document is of one tenant',
        namespace: true,
        period: true,
        spentMicros: true,
        reservedMicros: 'of the calls under way',
      },
    },
    sweeps: { none: 'twelve rows a year and namespace' },
  },
})

/** Reservations of the highest cost of calls under way. */
export const BudgetReservationEntity = defineTable({
  name: 'BudgetReservation',
  tableName: 'budget_reservations',
  properties: {
    id: p.uuid().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    period: p.text(),
    micros: bigCount(),
    touchedAt: instant(),
  },
  indexes: [{ properties: ['tenantId', 'namespace', 'period'] }, { properties: ['touchedAt'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: 'parts of those budgets' },
    purge: 'goes',
    export: { leftOut: 'of the calls under way' },
    sweeps: [
      {
        name: 'budgetReservations',
        summary: 'Charge budgets what calls of dead processes reserved',
        by: { special: 'moves it from the reserved to the spent sums' },
      },
    ],
  },
})

import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { instant } from '../../kernel/tables/columns.ts'

/** A person who wants news from the operator, or wrote to them. */
export const ContactRequestEntity = defineTable({
  name: 'ContactRequest',
  tableName: 'contact_requests',
  properties: {
    id: p.text().primary(),
    kind: p.enum(['waitlist', 'submission'] as const),
    email: p.text(),
    name: p.text().nullable(),
    note: p.text().nullable(),
    createdAt: instant(),
  },
  indexes: [{ name: 'contact_requests_newest', properties: ['kind', 'createdAt', 'id'] }],
  uniques: [{ name: 'contact_requests_one_waiting', properties: ['kind', 'email'], where: "kind = 'waitlist'" }],
  facts: {
    tenant: { shared: 'of people without a tenant' },
    sweeps: [
      {
        name: 'contacts',
        summary: 'Remove old messages and places on the waitlist',
        by: 'createdAt',
        keptDays: 'contact_days',
      },
    ],
  },
})

export type ContactRequest = InferEntity<typeof ContactRequestEntity>

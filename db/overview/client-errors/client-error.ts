import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount, bytes, instant } from '../../kernel/tables/columns.ts'

/** An error that browsers reported on one day (UTC), redacted; equal ones are one row with a count. */
export const ClientErrorEntity = defineTable({
  name: 'ClientError',
  tableName: 'client_errors',
  properties: {
    /** `YYYY-MM-DD`. */
    day: p.text().primary(),
    /** SHA-256 over message, source, line and column. */
    fingerprint: bytes().primary(),
    message: p.text(),
    source: p.text().nullable(),
    line: p.integer().nullable(),
    col: p.integer().nullable(),
    stack: p.text().nullable(),
    path: p.text().nullable(),
    /** Browser and its version. */
    agent: p.text().nullable(),
    reports: bigCount(),
    firstAt: instant(),
    lastAt: instant(),
  },
  indexes: [{ name: 'client_errors_newest', properties: ['lastAt'] }],
  facts: {
    tenant: { shared: 'reports of browsers: they name no person and no tenant' },
    sweeps: [
      {
        name: 'client-errors',
        summary: 'Remove old errors of browsers',
        by: 'lastAt',
        keptDays: 'client_error_days',
      },
    ],
  },
})

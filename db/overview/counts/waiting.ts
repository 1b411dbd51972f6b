import { REQUESTED_FAMILIES } from '../../../core/workflows.ts'
import type { Database } from '../../kernel/database.ts'

const WOKEN = REQUESTED_FAMILIES.filter(({ start }) => start === 'wake').map(({ name }) => name)

/** What was accepted and should have been taken up by now. */
export interface Waiting {
  /** Compiles and exports whose workflow was not started. */
  readonly starts: number
  /** Workflows that were not woken to read their rows. */
  readonly wakes: number
  /** Lines of ledgers that were not chained. */
  readonly auditLines: number
}

/** How much has waited since before `before`, over all tenants. */
export async function countWaiting(db: Database, before: Date): Promise<Waiting> {
  const [row] = await db.query<Waiting>(
    `select (select count(*) from outbox where created_at < $1 and family <> all ($2::text[])) as starts,
       (select count(*) from outbox where created_at < $1 and family = any ($2::text[])) as wakes,
       (select count(*) from audit_pending where at < $1) as "auditLines"`,
    [before, WOKEN],
  )
  return row ?? { starts: 0, wakes: 0, auditLines: 0 }
}

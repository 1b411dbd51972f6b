import type { Database } from '../../../kernel/database.ts'

/** What was accepted and should have been taken up by now. */
export interface Waiting {
  /** Jobs whose workflow was not started. */
  readonly starts: number
  /** Workflows that were not told to look at their rows. */
  readonly pokes: number
  /** Lines of ledgers that were not chained. */
  readonly auditLines: number
}

/** How much has waited since before `before`, over all tenants. */
export async function countWaiting(db: Database, before: Date): Promise<Waiting> {
  const [row] = await db.query<Waiting>(
    `select (select count(*) from outbox where created_at < $1) as starts,
       (select count(*) from workflow_starts where created_at < $1) as pokes,
       (select count(*) from audit_pending where at < $1) as "auditLines"`,
    [before],
  )
  return row ?? { starts: 0, pokes: 0, auditLines: 0 }
}

import { REQUESTED_FAMILIES } from '../../../../core/workflows.ts'
import type { Database } from '../../../kernel/database.ts'
import { countRows } from '../../../kernel/queries/count-rows.ts'
import { service } from '../../../kernel/queries/service.ts'

const WOKEN = REQUESTED_FAMILIES.filter(({ start }) => start === 'wake').map(({ name }) => name)

/** Accepted work that should have started by now. */
export interface Waiting {
  /** Compiles and exports whose workflow was not started. */
  readonly starts: number
  /** Workflows that were not signalled to read their rows. */
  readonly wakes: number
  /** Lines of ledgers that were not chained. */
  readonly auditLines: number
}

/** Returns how much work has waited since before `before`, over all tenants. */
export async function countWaiting(db: Database, before: Date): Promise<Waiting> {
  const [row] = await service.read(db, 'counts waiting work over all tenants, for diagnostics', (q) => {
    const late = q.selectFrom('outbox').where('created_at', '<', before)
    return q.selectNoFrom([
      countRows(late.where('family', 'not in', WOKEN)).as('starts'),
      countRows(late.where('family', 'in', WOKEN)).as('wakes'),
      countRows(q.selectFrom('audit_pending').where('at', '<', before)).as('auditLines'),
    ])
  })
  return row ?? { starts: 0, wakes: 0, auditLines: 0 }
}

import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { addUse, type UsageRow } from '../usage/record-usage.ts'

/** Adds the usage of many tenants to the stored sums, in one statement and one round trip. */
export async function recordUsageOfAll(db: Database, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return
  await service.send(db, 'a process adds up the calls of all tenants', (q) => addUse(q, rows))
}

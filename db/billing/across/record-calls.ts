import { currentOwners } from '../../accounts/across/current-owners.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { addUse, type UsageRow } from '../usage/record-usage.ts'

/** Adds the usage of many tenants to the stored sums, in one statement. Usage of a merged workspace goes to its owner. */
export async function recordUsageOfAll(db: Database, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return
  await service.write(db, 'a process adds up the calls of all tenants', async (tx) => {
    const ids = rows.map(({ tenantId }) => tenantId)
    const owners = await currentOwners(tx, ids)
    const owned = rows.map((row) => ({ ...row, tenantId: owners.get(row.tenantId) ?? row.tenantId }))
    await tx.send(addUse(owned))
  })
}

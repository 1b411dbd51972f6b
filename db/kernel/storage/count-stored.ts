import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { service, type ServiceTransaction } from '../queries/service.ts'
import { list, unnest } from '../queries/typed.ts'

const WHY = 'captures of many tenants are stored together'

/** The count of a tenant's stored bytes, and when its rows were last counted. */
interface StoredCount {
  readonly usedBytes: number
  readonly countedAt: Date | null
}

/** Reads the count of a tenant, by one statement; undefined where nothing was counted yet. */
export async function readStoredCount(db: Database, tenantId: string): Promise<StoredCount | undefined> {
  const [row] = await service.read(db, WHY, (q) =>
    q
      .selectFrom('tenant_storage')
      .select(['used_bytes as usedBytes', 'counted_at as countedAt'])
      .where('tenant_id', '=', tenantId),
  )
  return row
}

/**
 * Adds stored bytes to the counts of tenants, in the transaction that stores them. Returns the new counts. A count that is
 * locked, as by an upload, is not waited for: its tenant is absent from the result, and its bytes are to be added later.
 */
export async function addStoredBytes(
  tx: ServiceTransaction,
  bytes: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.send(
    tx.q
      .with('free', (of) =>
        of
          .selectFrom('tenant_storage')
          .select('tenant_id')
          .where(sql<boolean>`tenant_id = any(${[...bytes.keys()]}::text[])`)
          .orderBy('tenant_id')
          .forUpdate()
          .skipLocked(),
      )
      .updateTable('tenant_storage as s')
      .from('free')
      .from(unnest('u', { tenant_id: list('text', [...bytes.keys()]), bytes: list('bigint', [...bytes.values()]) }))
      .set({ used_bytes: sql<number>`s.used_bytes + u.bytes` })
      .whereRef('s.tenant_id', '=', 'free.tenant_id')
      .whereRef('s.tenant_id', '=', 'u.tenant_id')
      .returning(['s.tenant_id as tenantId', 's.used_bytes as usedBytes']),
  )
  return new Map(rows.map(({ tenantId, usedBytes }) => [tenantId, usedBytes]))
}

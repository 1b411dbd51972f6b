import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { service, type ServiceTransaction } from '../queries/service.ts'
import { list, unnest } from '../queries/typed.ts'
import { countHeldBytes } from './count-held.ts'

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
 * locked, as by an upload, is not waited for: its tenant is absent from the result, and has to be counted again.
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

/** Counts the rows of a tenant again, and returns its bytes. */
export async function recountStoredBytes(db: Database, tenantId: string, now: Date): Promise<number> {
  return await service.write(db, WHY, async (tx) => {
    tx.post(
      tx.q
        .insertInto('tenant_storage')
        .columns(['tenant_id', 'used_bytes', 'counted_at'])
        .expression((q) =>
          q
            .selectFrom('tenants')
            .select((of) => ['id', of.lit(0).as('used_bytes'), sql<Date | null>`null::timestamptz`.as('counted_at')])
            .where('id', '=', tenantId)
            .where('purged_at', 'is', null),
        )
        .onConflict((on) => on.doNothing()),
    )
    await tx.q.selectFrom('tenant_storage').select('tenant_id').where('tenant_id', '=', tenantId).forUpdate().execute()
    const usedBytes = await countHeldBytes(tx, tenantId)
    tx.post(
      tx.q
        .updateTable('tenant_storage')
        .set({ used_bytes: usedBytes, counted_at: now })
        .where('tenant_id', '=', tenantId),
    )
    return usedBytes
  })
}

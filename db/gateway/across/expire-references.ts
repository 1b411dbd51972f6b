import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { sweepInBatches } from '../../kernel/tables/sweep-in-batches.ts'

/** Conversations that one transaction removes: each may have many turns. */
const BATCH = 500

/**
 * Removes references that expired, and of conversations all turns. Returns how many conversations and other references; an aborted
 * `signal` ends it between two batches. One that gets a turn meanwhile stays.
 */
export async function expireReferences(db: Database, before: Date, signal?: AbortSignal): Promise<number> {
  return await sweepInBatches(signal, async (most) => await expireSome(db, before, most), BATCH)
}

async function expireSome(db: Database, before: Date, most: number): Promise<readonly unknown[]> {
  return await service.write(db, 'a sweep removes the rows of all tenants whose time is over', async (tx) => {
    const expired = await tx.q
      .selectFrom('response_references')
      .select(['tenant_id', 'key'])
      .where('expires_at', '<=', before)
      .limit(most)
      .forUpdate()
      .skipLocked()
      .execute()
    const of = sql`unnest(${expired.map((row) => row.tenant_id)}::text[], ${expired.map(({ key }) => key)}::bytea[])`
    for (const column of ['root_key', 'key'] as const) {
      await tx.q
        .deleteFrom('response_references')
        .where(sql<boolean>`(tenant_id, ${sql.ref(column)}) in (select * from ${of})`)
        .execute()
    }
    return expired
  })
}

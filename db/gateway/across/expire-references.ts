import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
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
    const gone = unnest('gone', {
      tenant_id: list(
        'text',
        expired.map((row) => row.tenant_id),
      ),
      key: list(
        'bytea',
        expired.map(({ key }) => key),
      ),
    })
    for (const column of ['response_references.root_key', 'response_references.key'] as const) {
      await tx.q
        .deleteFrom('response_references')
        .using(gone)
        .whereRef('response_references.tenant_id', '=', 'gone.tenant_id')
        .whereRef(column, '=', 'gone.key')
        .execute()
    }
    return expired
  })
}

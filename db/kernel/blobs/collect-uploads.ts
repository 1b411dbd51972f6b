import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'

/** Uploads that one call discards. */
const MOST = 1000

/**
 * Discards uploads that were neither finished nor touched for `olderThanMs`: their process died. Their chunks are left
 * to `removeDiscardedChunks`. Returns how many. An upload that is slower than that finds itself collected and fails; no
 * partial blob ever appears.
 */
export async function collectStaleUploads(db: Database, input: { readonly olderThanMs: number }): Promise<number> {
  const seconds = input.olderThanMs / 1000
  const [row] = await service.send(db, 'uploads of all tenants, and of none', (q) =>
    q
      .with('stale', (each) =>
        each
          .deleteFrom('blob_uploads')
          .where('storage_id', 'in', (of) =>
            of
              .selectFrom('blob_uploads')
              .select('storage_id')
              .where('touched_at', '<', sql<Date>`now() - make_interval(secs => ${seconds}::double precision)`)
              .limit(MOST)
              .forUpdate()
              .skipLocked(),
          )
          .returning('storage_id'),
      )
      .with('discarded', (each) =>
        each
          .insertInto('blob_discards')
          .columns(['storage_id', 'discarded_at'])
          .expression((of) => of.selectFrom('stale').select(['storage_id', sql<Date>`now()`.as('discarded_at')])),
      )
      .selectFrom('stale')
      .select((of) => of.fn.countAll<number>().as('givenUp')),
  )
  return row?.givenUp ?? 0
}

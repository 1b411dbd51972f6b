import { sql, type SqlBool } from 'kysely'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { sweepInBatches } from '../../../kernel/tables/sweep-in-batches.ts'

/** Jobs that one statement releases. */
const JOBS = 1000

/** Times before which finished jobs are released. */
interface Bounds {
  readonly unsignedBefore: Date
  readonly signedBefore: Date
}

/**
 * Releases the examples of finished jobs, and their rows with results: of those that ended without an archive before
 * `unsignedBefore`, and of the others before `signedBefore`. The digest of the examples stays with the job. The bytes
 * are removed once they have no other reference (`collectOrphanedBlobs`). Returns the number of released documents.
 */
export async function releaseDatasets(db: Database, bounds: Bounds, signal?: AbortSignal): Promise<number> {
  const examples = await release(db, 'dataset_sha256', bounds, signal)
  return examples + (await release(db, 'rows_sha256', bounds, signal))
}

async function release(
  db: Database,
  column: 'dataset_sha256' | 'rows_sha256',
  { unsignedBefore, signedBefore }: Bounds,
  signal?: AbortSignal,
): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'releases the examples of all tenants whose time is over', (q) =>
        q
          .updateTable('compile_jobs')
          .set({ [column]: null })
          .where('id', 'in', (from) =>
            from
              .selectFrom('compile_jobs')
              .select('id')
              .where(sql<SqlBool>`${sql.ref(column)} is not null`)
              .where((of) =>
                of.or([
                  of.and([
                    of('status', 'in', ['failed', 'gated', 'cancelled']),
                    of('finished_at', '<', unsignedBefore),
                  ]),
                  of.and([of('status', '=', 'ready'), of('finished_at', '<', signedBefore)]),
                ]),
              )
              .limit(most)
              .forUpdate()
              .skipLocked(),
          )
          .returning('id'),
      ),
    JOBS,
  )
}

import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { sweepInBatches } from '../../kernel/tables/sweep-in-batches.ts'

/** Jobs that one statement releases. */
const JOBS = 1000

/**
 * Releases the examples of finished jobs: of those that ended without an archive before `unsignedBefore`, and of the
 * others before `signedBefore`. Their digest stays with the job. The bytes are removed once they have no other
 * reference (`collectOrphanedBlobs`). Returns the number of jobs.
 */
export async function releaseDatasets(
  db: Database,
  input: { readonly unsignedBefore: Date; readonly signedBefore: Date },
  signal?: AbortSignal,
): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'releases the examples of all tenants whose time is over', (q) =>
        q
          .updateTable('compile_jobs')
          .set({ dataset_sha256: null })
          .where('id', 'in', (from) =>
            from
              .selectFrom('compile_jobs')
              .select('id')
              .where('dataset_sha256', 'is not', null)
              .where((of) =>
                of.or([
                  of.and([
                    of('status', 'in', ['failed', 'gated', 'cancelled']),
                    of('finished_at', '<', input.unsignedBefore),
                  ]),
                  of.and([of('status', '=', 'ready'), of('finished_at', '<', input.signedBefore)]),
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

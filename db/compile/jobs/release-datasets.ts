import type { Database } from '../../kernel/database.ts'

/**
 * Lets go of the examples of finished jobs: of those that ended without an archive before `unsignedBefore`, and of the
 * others before `signedBefore`. Their digest stays with the job. The bytes go when nothing else refers to them
 * (`collectOrphanedBlobs`). Answers how many jobs it was.
 */
export async function releaseDatasets(
  db: Database,
  input: { readonly unsignedBefore: Date; readonly signedBefore: Date },
): Promise<number> {
  const released = await db.query(
    `update compile_jobs set dataset_sha256 = null
     where id in (
       select id from compile_jobs
       where dataset_sha256 is not null
         and ((status in ('failed', 'gated', 'cancelled') and finished_at < $1) or (status = 'ready' and finished_at < $2))
       limit 1000 for update skip locked
     ) returning 1`,
    [input.unsignedBefore, input.signedBefore],
  )
  return released.length
}

import type { Database } from '../../../kernel/database.ts'

/**
 * Lets go of what the stages of finished jobs kept for one another; what is left for good stands in the artifact, the
 * evaluation and the small results. The blobs themselves go when nothing else refers to them (`collectOrphanedBlobs`).
 * Answers how many stages it was.
 */
export async function releaseStageBlobs(db: Database, input: { readonly finishedBefore: Date }): Promise<number> {
  const released = await db.query(
    `update job_stages set blob_sha256 = null
     where (job_id, stage) in (
       select s.job_id, s.stage from job_stages s join compile_jobs j on j.id = s.job_id
       where s.blob_sha256 is not null and j.finished_at < $1
       limit 1000
     ) returning 1`,
    [input.finishedBefore],
  )
  return released.length
}

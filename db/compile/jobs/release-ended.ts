import type { Database } from '../../kernel/database.ts'
import { inTransaction } from '../../kernel/transaction.ts'

/** Jobs that one call lets go of. */
const BATCH = 200

/**
 * Lets go of the bytes of jobs that failed or were cancelled, whose examples nobody stored after `keptBefore`, and has
 * them looked at by the collector at once. Until then they count toward the tenant's allowance. Answers how many jobs.
 *
 * A caller that stores the same bytes at this moment keeps them: that moves `kept_at` and the time of review.
 */
export async function releaseEndedJobs(
  db: Database,
  input: { readonly keptBefore: Date; readonly now: Date },
): Promise<number> {
  return await inTransaction(db, null, async (tx) => {
    const jobs = await tx.query<{ id: string; dataset: string }>(
      `select j.id, j.dataset_sha256 as dataset from compile_jobs j
       where j.dataset_sha256 is not null and j.status in ('failed', 'cancelled')
         and exists (select 1 from blobs b where b.sha256 = j.dataset_sha256 and b.kept_at < $1)
       order by j.finished_at limit ${BATCH} for update of j skip locked`,
      [input.keptBefore],
    )
    if (jobs.length === 0) return 0
    const ids = jobs.map(({ id }) => id)
    const stages = await tx.query<{ blob: string }>(
      `with kept as (select job_id, stage, blob_sha256 from job_stages where job_id = any($1) and blob_sha256 is not null),
       released as (
         update job_stages s set blob_sha256 = null from kept k where s.job_id = k.job_id and s.stage = k.stage
       )
       select blob_sha256 as blob from kept`,
      [ids],
    )
    const trained = await tx.query<{ blob: string | null }>(
      'delete from training_records where job_id = any($1) returning blob_sha256 as blob',
      [ids],
    )
    await tx.query('update compile_jobs set dataset_sha256 = null where id = any($1)', [ids])
    const blobs = [...jobs.map(({ dataset }) => dataset), ...[...stages, ...trained].map(({ blob }) => blob)]
    await tx.query(
      `update blobs set review_at = $2 where kept_at < $3 and sha256 in (
         select sha256 from blobs where sha256 = any($1) order by sha256 for update)`,
      [blobs.filter((blob) => blob !== null), input.now, input.keptBefore],
    )
    return jobs.length
  })
}

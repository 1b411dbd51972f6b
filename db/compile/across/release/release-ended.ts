import { sql, type SqlBool } from 'kysely'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

/** Jobs that one call releases. */
const BATCH = 200

/**
 * Releases the bytes of jobs that failed or were cancelled, unless their examples were stored again after `keptBefore`,
 * and makes the collector review them at once. Until then they count toward the tenant's allowance. Returns the number
 * of jobs.
 * A caller that stores the same bytes at this moment keeps them: that moves `kept_at` and the time of review.
 */
export async function releaseEndedJobs(
  db: Database,
  input: { readonly keptBefore: Date; readonly now: Date },
): Promise<number> {
  return await service.write(db, 'releases the bytes of ended jobs of all tenants', async (tx) => {
    const jobs = await tx.q
      .selectFrom('compile_jobs as j')
      .select(['j.id', 'j.dataset_sha256 as dataset'])
      .where('j.dataset_sha256', 'is not', null)
      .where('j.status', 'in', ['failed', 'cancelled'])
      .where((of) =>
        of.exists(
          of
            .selectFrom('blobs as b')
            .select('b.storage_id')
            .where(sql<SqlBool>`b.sha256 = j.dataset_sha256`)
            .where('b.kept_at', '<', input.keptBefore),
        ),
      )
      .orderBy('j.finished_at')
      .limit(BATCH)
      .forUpdate('j')
      .skipLocked()
      .execute()
    if (jobs.length === 0) return 0
    const ids = jobs.map(({ id }) => id)
    const stages = await tx.q
      .with('kept', (q) =>
        q
          .selectFrom('job_stages')
          .select(['job_id', 'stage', 'blob_sha256'])
          .where(sql<SqlBool>`job_id = any(${ids})`)
          .where('blob_sha256', 'is not', null),
      )
      .with('released', (q) =>
        q
          .updateTable('job_stages as s')
          .from('kept as k')
          .set({ blob_sha256: null })
          .whereRef('s.job_id', '=', 'k.job_id')
          .whereRef('s.stage', '=', 'k.stage'),
      )
      .selectFrom('kept')
      .select('blob_sha256 as blob')
      .execute()
    const trained = await tx.q
      .deleteFrom('training_records')
      .where(sql<SqlBool>`job_id = any(${ids})`)
      .returning('blob_sha256 as blob')
      .execute()
    await tx.q
      .updateTable('compile_jobs')
      .set({ dataset_sha256: null })
      .where(sql<SqlBool>`id = any(${ids})`)
      .execute()
    const blobs = [...jobs.map(({ dataset }) => dataset), ...[...stages, ...trained].map(({ blob }) => blob)]
    const named = blobs.filter((blob) => blob !== null)
    await tx.q
      .updateTable('blobs')
      .set({ review_at: input.now })
      .where('kept_at', '<', input.keptBefore)
      .where('sha256', 'in', (q) =>
        q
          .selectFrom('blobs')
          .select('sha256')
          .where(sql<SqlBool>`sha256 = any(${named})`)
          .orderBy('sha256')
          .forUpdate(),
      )
      .execute()
    return jobs.length
  })
}

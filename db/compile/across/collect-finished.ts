import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Jobs whose rows one call removes. */
const JOBS = 200
/** Stages that one call releases. */
const STAGES = 1000

/** Removes the training records of finished jobs, which a cancelled or failed fit leaves. Returns the number of records. */
export async function collectTraining(db: Database): Promise<number> {
  const removed = await service.send(db, 'removes the records of fits of all tenants', (q) =>
    q
      .deleteFrom('training_records')
      .where('job_id', 'in', (of) =>
        of
          .selectFrom('training_records as r')
          .innerJoin('compile_jobs as j', 'j.id', 'r.job_id')
          .select('r.job_id')
          .where('j.finished_at', 'is not', null)
          .limit(JOBS),
      )
      .returning('job_id'),
  )
  return removed.length
}

/**
 * Removes the teacher rounds of jobs that finished before a time, with their samples, and releases their drafts: the
 * artifact holds the lasting part. Returns the number of rounds.
 */
export async function collectRounds(db: Database, input: { readonly finishedBefore: Date }): Promise<number> {
  const removed = await service.send(db, 'removes the old rounds of all tenants', (q) =>
    q
      .deleteFrom('teacher_rounds')
      .where('job_id', 'in', (of) =>
        of
          .selectFrom('teacher_rounds as r')
          .innerJoin('compile_jobs as j', 'j.id', 'r.job_id')
          .select('r.job_id')
          .where('j.finished_at', '<', input.finishedBefore)
          .limit(JOBS),
      )
      .returning('job_id'),
  )
  return removed.length
}

/**
 * Releases what the stages of finished jobs stored for one another; the artifact, the evaluation and the small results
 * stay. `collectOrphanedBlobs` removes the blobs that no other row names. Returns the number of stages.
 */
export async function releaseStageBlobs(db: Database, input: { readonly finishedBefore: Date }): Promise<number> {
  const released = await service.send(db, 'releases the results of the stages of all tenants', (q) =>
    q
      .updateTable('job_stages')
      .set({ blob_sha256: null })
      .where((of) =>
        of(
          of.refTuple('job_id', 'stage'),
          'in',
          of
            .selectFrom('job_stages as s')
            .innerJoin('compile_jobs as j', 'j.id', 's.job_id')
            .select(['s.job_id', 's.stage'])
            .where('s.blob_sha256', 'is not', null)
            .where('j.finished_at', '<', input.finishedBefore)
            .limit(STAGES)
            .$asTuple('job_id', 'stage'),
        ),
      )
      .returning('job_id'),
  )
  return released.length
}

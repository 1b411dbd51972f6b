import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { sweepInBatches } from '../../../kernel/tables/sweep-in-batches.ts'

/** Rows whose jobs one statement looks up. */
const ROWS = 200
/** Stages that one statement releases. */
const STAGES = 1000

/** Removes the training records of finished jobs, which a cancelled or failed fit leaves. Returns the number of records. */
export async function collectTraining(db: Database, signal?: AbortSignal): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'removes the records of fits of all tenants', (q) =>
        q
          .deleteFrom('training_records')
          .where('job_id', 'in', (of) =>
            of
              .selectFrom('training_records as r')
              .innerJoin('compile_jobs as j', 'j.id', 'r.job_id')
              .select('r.job_id')
              .where('j.finished_at', 'is not', null)
              .limit(most),
          )
          .returning('job_id'),
      ),
    ROWS,
  )
}

/**
 * Removes the teacher rounds of jobs that finished before a time, with their samples, and releases their drafts: the
 * artifact holds the lasting part. Returns the number of rounds.
 */
export async function collectRounds(
  db: Database,
  input: { readonly finishedBefore: Date },
  signal?: AbortSignal,
): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'removes the old rounds of all tenants', (q) =>
        q
          .deleteFrom('teacher_rounds')
          .where('job_id', 'in', (of) =>
            of
              .selectFrom('teacher_rounds as r')
              .innerJoin('compile_jobs as j', 'j.id', 'r.job_id')
              .select('r.job_id')
              .where('j.finished_at', '<', input.finishedBefore)
              .limit(most),
          )
          .returning('job_id'),
      ),
    ROWS,
  )
}

/**
 * Releases what the stages of finished jobs stored for one another; the artifact, the evaluation and the small results
 * stay. `collectOrphanedBlobs` removes the blobs that no other row names. Returns the number of stages.
 */
export async function releaseStageBlobs(
  db: Database,
  input: { readonly finishedBefore: Date },
  signal?: AbortSignal,
): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'releases the results of the stages of all tenants', (q) =>
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
                .limit(most)
                .$asTuple('job_id', 'stage'),
            ),
          )
          .returning('job_id'),
      ),
    STAGES,
  )
}

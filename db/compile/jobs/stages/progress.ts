import { sql } from 'kysely'
import { WORK_STAGES, type WorkStage } from '../../../../core/compile/rows/task.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/** Percentage of a usual compile's time that each stage takes; sums to 100. */
const SHARE: Readonly<Record<WorkStage, number>> = {
  'k-sample': 55,
  verify: 25,
  'lora-fit': 5,
  bundle: 10,
  sign: 5,
}

/** Returns the progress of a job, 0 to 100, when `fraction` (0 to 1) of a stage is done. */
export function jobProgress(stage: WorkStage, fraction: number): number {
  let before = 0
  for (const name of WORK_STAGES) {
    if (name === stage) break
    before += SHARE[name]
  }
  return before + SHARE[stage] * fraction
}

/**
 * Advances an unfinished stage and its job, `fraction` from 0 to 1; neither falls back. Returns the stage's fraction
 * afterwards, null when the stage is over.
 */
export async function moveStage(
  tx: Transaction,
  { jobId, stage, fraction }: { readonly jobId: string; readonly stage: WorkStage; readonly fraction: number },
): Promise<number | null> {
  const moved = await tx.q
    .updateTable('job_stages')
    .set({ fraction: sql<number>`greatest(fraction, ${Math.min(Math.max(fraction, 0), 1)})` })
    .where('job_id', '=', jobId)
    .where('stage', '=', stage)
    .where('completed_at', 'is', null)
    .returning('fraction')
    .executeTakeFirst()
  if (moved === undefined) return null
  await tx.q
    .updateTable('compile_jobs')
    .set({ progress: atLeast(jobProgress(stage, moved.fraction)) })
    .where('id', '=', jobId)
    .execute()
  return moved.fraction
}

/** Raises the progress of a job to at least this value. */
export function atLeast(progress: number) {
  return sql<number>`greatest(progress, ${progress})`
}

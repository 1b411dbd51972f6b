import type { Json, Sha256 } from '../../../core/kernel/json/json.ts'
import type { TeacherSpending } from '../../../core/compile/stages/teacher/teacher-types.ts'
import type { Database } from '../../kernel/database.ts'
import { assertUnfinished, lockJob } from '../jobs/lock-job.ts'
import { inTransaction } from '../../kernel/transaction.ts'

/** How asking came to its end. */
export type RoundEnding = Pick<TeacherSpending, 'stopped' | 'failure'>

/** What a job has open with a teacher. */
export interface TeacherRound {
  readonly blobSha256: Sha256
  readonly summary: Json
  readonly budgetUsdMicros: number
  readonly reservedUsdMicros: number
  readonly spentUsdMicros: number
  readonly startedAt: Date
  readonly ending: RoundEnding | null
  readonly endedAt: Date | null
}

/**
 * Opens the round of a job, with what `k-sample` found so far. The first call stands; another gets it back. Throws
 * `compile_cancelled` or `already_finished` when the job is over.
 */
export async function openRound(
  db: Database,
  input: {
    readonly jobId: string
    readonly tenantId: string
    readonly blobSha256: Sha256
    readonly summary: Json
    readonly budgetUsdMicros: number
    readonly now: Date
  },
): Promise<TeacherRound> {
  return await inTransaction(db, null, async (tx) => {
    assertUnfinished(await lockJob(tx, input.jobId, null))
    await tx.query(
      `insert into teacher_rounds (job_id, tenant_id, blob_sha256, summary, budget_usd_micros, reserved_usd_micros,
         spent_usd_micros, started_at)
       values ($1, $2, $3, $4, $5, 0, 0, $6) on conflict (job_id) do nothing`,
      [input.jobId, input.tenantId, input.blobSha256, JSON.stringify(input.summary), input.budgetUsdMicros, input.now],
    )
    const round = await readRound(tx, input.jobId)
    if (round === null) throw new Error(`the round of ${input.jobId} is gone`)
    return round
  })
}

/** The round of a job; null when it has none, or its draft was released. */
export async function findRound(db: Database, jobId: string): Promise<TeacherRound | null> {
  return await readRound(db, jobId)
}

async function readRound(sql: Pick<Database, 'query'>, jobId: string): Promise<TeacherRound | null> {
  const [round] = await sql.query<TeacherRound>(
    `select blob_sha256 as "blobSha256", summary, budget_usd_micros as "budgetUsdMicros",
       reserved_usd_micros as "reservedUsdMicros", spent_usd_micros as "spentUsdMicros", started_at as "startedAt",
       ending, ended_at as "endedAt"
     from teacher_rounds where job_id = $1 and blob_sha256 is not null`,
    [jobId],
  )
  return round ?? null
}

/**
 * Sets money aside for one call, before it is made. False when the budget has not so much left: one statement decides,
 * so that calls under way at once never pass it together.
 */
export async function reserveSpending(db: Database, jobId: string, usdMicros: number): Promise<boolean> {
  const reserved = await db.query(
    `update teacher_rounds set reserved_usd_micros = reserved_usd_micros + $2
     where job_id = $1 and spent_usd_micros + reserved_usd_micros + $2 <= budget_usd_micros returning 1`,
    [jobId, usdMicros],
  )
  return reserved.length > 0
}

/** Gives back what was set aside for a call that was certainly not billed. */
export async function releaseReservation(db: Database, jobId: string, usdMicros: number): Promise<void> {
  await db.query('update teacher_rounds set reserved_usd_micros = reserved_usd_micros - $2 where job_id = $1', [
    jobId,
    usdMicros,
  ])
}

/** Writes down that asking is over. The first end stands. */
export async function endRound(
  db: Database,
  input: { readonly jobId: string; readonly ending: RoundEnding; readonly now: Date },
): Promise<void> {
  await db.query(`update teacher_rounds set ending = $2, ended_at = $3 where job_id = $1 and ended_at is null`, [
    input.jobId,
    JSON.stringify(input.ending),
    input.now,
  ])
}

/**
 * Removes rounds with their samples, and lets go of their drafts, once their jobs ended before then. What is kept for
 * good stands in the artifact. Answers how many rounds it was.
 */
export async function collectRounds(db: Database, input: { readonly finishedBefore: Date }): Promise<number> {
  const removed = await db.query(
    `delete from teacher_rounds where job_id in (
       select r.job_id from teacher_rounds r join compile_jobs j on j.id = r.job_id
       where j.finished_at < $1 limit 200
     ) returning 1`,
    [input.finishedBefore],
  )
  return removed.length
}

import type { Json, Sha256 } from '../../../../core/kernel/json/json.ts'
import { assertUnfinished, lockJob } from '../../jobs/lock-job.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { NotNull } from 'kysely'
import type { TenantAccess } from '../../../kernel/operation.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import { json } from '../../../kernel/queries/typed.ts'
import type { RoundEnding } from './teacher-round.ts'

/** A job's open round with a teacher. */
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
 * Opens the round of a job, with the result of `k-sample` so far. The first call stands; a later one gets it back.
 * Throws `compile_cancelled` or `already_finished` when the job is over.
 */
export async function openRound(
  op: TenantAccess,
  input: {
    readonly jobId: string
    readonly blobSha256: Sha256
    readonly summary: Json
    readonly budgetUsdMicros: number
    readonly now: Date
  },
): Promise<TeacherRound> {
  return await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, input.jobId, op.tenantId))
    await tx.q
      .insertInto('teacher_rounds')
      .values({
        job_id: input.jobId,
        tenant_id: op.tenantId,
        blob_sha256: input.blobSha256,
        summary: json(input.summary),
        budget_usd_micros: input.budgetUsdMicros,
        reserved_usd_micros: 0,
        spent_usd_micros: 0,
        started_at: input.now,
      })
      .onConflict((on) => on.column('job_id').doNothing())
      .execute()
    const round = await findRound(tx, input.jobId)
    if (round === null) throw new Error(`the round of ${input.jobId} is gone`)
    return round
  })
}

/** Returns the query of the round of a job. */
export const roundOf = prepared((q, { jobId }: { readonly jobId: string }) =>
  q
    .selectFrom('teacher_rounds')
    .select([
      'blob_sha256 as blobSha256',
      'summary',
      'budget_usd_micros as budgetUsdMicros',
      'reserved_usd_micros as reservedUsdMicros',
      'spent_usd_micros as spentUsdMicros',
      'started_at as startedAt',
      'ending',
      'ended_at as endedAt',
    ])
    .where('job_id', '=', jobId)
    .where('blob_sha256', 'is not', null)
    .$narrowType<{ blobSha256: NotNull }>(),
)

/** Returns the round of a job; null when it has none, or its draft was released. */
export async function findRound(from: Reader, jobId: string): Promise<TeacherRound | null> {
  const [round] = await from.read(() => roundOf({ jobId }))
  return round ?? null
}

/**
 * Reserves money for one call, before it is made. Returns false when the budget has too little left: one statement
 * decides, so that concurrent calls never exceed it together.
 */
export async function reserveSpending(op: TenantAccess, jobId: string, usdMicros: number): Promise<boolean> {
  return await op.write(async (tx) => {
    const reserved = await tx.q
      .updateTable('teacher_rounds')
      .set((of) => ({ reserved_usd_micros: of('reserved_usd_micros', '+', usdMicros) }))
      .where('job_id', '=', jobId)
      .where((of) =>
        of(
          of(of('spent_usd_micros', '+', of.ref('reserved_usd_micros')), '+', usdMicros),
          '<=',
          of.ref('budget_usd_micros'),
        ),
      )
      .executeTakeFirst()
    return reserved.numUpdatedRows > 0
  })
}

/** Releases the reservation of a call that was certainly not billed. */
export async function releaseReservation(op: TenantAccess, jobId: string, usdMicros: number): Promise<void> {
  await op.write(async (tx) => await settleSpending(tx, { jobId, reservedUsdMicros: usdMicros, spentUsdMicros: 0 }))
}

/** Settles a reservation and adds its charged part. */
export async function settleSpending(
  tx: Transaction,
  input: { readonly jobId: string; readonly reservedUsdMicros: number; readonly spentUsdMicros: number },
): Promise<void> {
  await tx.q
    .updateTable('teacher_rounds')
    .set((of) => ({
      reserved_usd_micros: of('reserved_usd_micros', '-', input.reservedUsdMicros),
      spent_usd_micros: of('spent_usd_micros', '+', input.spentUsdMicros),
    }))
    .where('job_id', '=', input.jobId)
    .execute()
}

/** Records that asking is over. The first end stands. */
export async function endRound(
  op: TenantAccess,
  input: { readonly jobId: string; readonly ending: RoundEnding; readonly now: Date },
): Promise<void> {
  await op.write(
    async (tx) =>
      await tx.q
        .updateTable('teacher_rounds')
        .set({ ending: json(input.ending), ended_at: input.now })
        .where('job_id', '=', input.jobId)
        .where('ended_at', 'is', null)
        .execute(),
  )
}

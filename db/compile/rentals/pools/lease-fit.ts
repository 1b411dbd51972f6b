import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { retryDelayMs } from '../../../../core/compile/stages/rentals/attempts.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { meterReservation } from '../meter.ts'
import type { TrainerPool } from './pool.ts'

/** A worker of a pool that asks for a fit. */
export interface PoolWorker {
  readonly pool: Pick<TrainerPool, 'id' | 'gpuSku' | 'vramTier'>
  /** Name of the worker, as it calls itself. */
  readonly name: string
  /** SHA-256 of the secret that it chose for this lease, hexadecimal. */
  readonly sessionHash: string
  /** Leases of one fit at most. */
  readonly mostAttempts: number
}

/** Fits that are looked at for one whose next attempt is due. */
const LOOKED_AT = 50

/**
 * Leases the next fit of the tenant that waits for these GPUs: the highest plan first, then the oldest. Returns the job;
 * null when none waits. A call that repeats one with its secret gets the same lease.
 */
export async function leaseFit(op: Operation, worker: PoolWorker): Promise<string | null> {
  return await op.write(async (tx) => {
    const { tenantId } = op
    const now = op.now()
    const seen = await tx.q
      .updateTable('trainer_pools')
      .set({ seen_at: now })
      .where('id', '=', worker.pool.id)
      .where('tenant_id', '=', tenantId)
      .returning('id')
      .execute()
    if (seen.length === 0) throw KERNEL_ERRORS.invalid_credential('no pool has this token')
    const [known] = await tx.q
      .selectFrom('rental_leases')
      .select('job_id as jobId')
      .where('session_hash', '=', worker.sessionHash)
      .where('tenant_id', '=', tenantId)
      .execute()
    if (known !== undefined) return known.jobId
    const waiting = await tx.q
      .selectFrom('rentals as r')
      .innerJoin('compile_jobs as j', 'j.id', 'r.job_id')
      .select(['r.job_id as jobId', 'r.rate_usd_micros as rateUsdMicros'])
      .select((of) =>
        of
          .selectFrom('rental_leases as l')
          .select(sql<number>`count(*)::integer`.as('count'))
          .whereRef('l.job_id', '=', 'r.job_id')
          .as('attempts'),
      )
      .select((of) =>
        of
          .selectFrom('rental_leases as l')
          .select((m) => m.fn.max('l.ended_at').as('ended'))
          .whereRef('l.job_id', '=', 'r.job_id')
          .as('endedAt'),
      )
      .where('r.tenant_id', '=', tenantId)
      .where('r.lane', '=', 'pool')
      .where('r.gpu_sku', '=', worker.pool.gpuSku)
      .where('r.vram_tier', '=', worker.pool.vramTier)
      .where('r.fit', 'is not', null)
      .where('r.ended_at', 'is', null)
      .where('j.finished_at', 'is', null)
      .where((of) =>
        of.not(
          of.exists(
            of
              .selectFrom('rental_leases as l')
              .select('l.id')
              .whereRef('l.job_id', '=', 'r.job_id')
              .where('l.ended_at', 'is', null),
          ),
        ),
      )
      .orderBy('r.priority', 'desc')
      .orderBy('r.created_at')
      .orderBy('r.job_id')
      .limit(LOOKED_AT)
      .forUpdate('r')
      .skipLocked()
      .execute()
    const next = waiting.find(({ attempts, endedAt }) => {
      if ((attempts ?? 0) >= worker.mostAttempts) return false
      return endedAt === null || now.getTime() - endedAt.getTime() >= retryDelayMs(attempts ?? 0)
    })
    if (next === undefined) return null
    await insertLease(tx, op, worker, { ...next, attempts: next.attempts ?? 0 })
    return next.jobId
  })
}

async function insertLease(
  tx: Transaction,
  op: Operation,
  { pool, name, sessionHash }: PoolWorker,
  fit: { readonly jobId: string; readonly rateUsdMicros: number; readonly attempts: number },
): Promise<void> {
  const { jobId, rateUsdMicros } = fit
  const now = op.now()
  const id = newId('lse')
  const number = fit.attempts + 1
  await tx.q
    .insertInto('rental_leases')
    .values({
      id,
      job_id: jobId,
      tenant_id: op.tenantId,
      number,
      machine_name: name,
      machine_id: pool.id,
      rate_usd_micros: rateUsdMicros,
      // Its worker has the secret already and opens nothing with a token.
      token_hash: randomBytes(32).toString('hex'),
      session_hash: sessionHash,
      ordered_at: now,
      opened_at: now,
      seen_at: now,
      cost_usd_micros: 0,
    })
    .execute()
  await meterReservation(tx, op, { id, jobId, orderedAt: now, meteredAt: null, rateUsdMicros })
  await recordAudit(tx, op, {
    action: 'pool.leased',
    target: jobId,
    payload: { job_id: jobId, lease_id: id, pool_id: pool.id, number },
  })
}

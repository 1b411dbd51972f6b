import { sql } from 'kysely'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { costOf } from '../../../core/compile/stages/rentals/cost.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { assertUnfinished, lockJob } from '../jobs/lock-job.ts'
import { meterTime } from './meter.ts'

/** An ordered machine. */
export interface OrderedLease {
  readonly id: string
  readonly machineName: string
}

/**
 * Records that a machine is being ordered, before the provider is asked: whatever becomes of the call, its name is known.
 * Throws `compile_cancelled` and `already_finished` when the job is over, and `rental_failed` when `most` machines of it have
 * failed.
 */
export async function orderLease(
  op: Operation,
  input: {
    readonly jobId: string
    readonly prefix: string
    readonly tokenHash: string
    readonly rateUsdMicros: number
    readonly most: number
  },
): Promise<OrderedLease> {
  const { jobId, prefix, tokenHash, rateUsdMicros, most } = input
  const id = newId('lse')
  const machineName = `${prefix}-${id.replace('_', '-')}`
  await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, op.tenantId))
    const [row] = await tx.q
      .selectFrom('rental_leases')
      .select(sql<number>`coalesce(max(number), 0)::integer`.as('newest'))
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    const number = (row?.newest ?? 0) + 1
    if (number > most)
      throw COMPILE_ERRORS.rental_failed(
        most === 1 ? 'the only machine failed' : `${most} machines failed one after another`,
      )
    await tx.q
      .insertInto('rental_leases')
      .values({
        id,
        job_id: jobId,
        tenant_id: op.tenantId,
        number,
        machine_name: machineName,
        rate_usd_micros: rateUsdMicros,
        token_hash: tokenHash,
        ordered_at: op.now(),
        cost_usd_micros: 0,
      })
      .execute()
    await recordAudit(tx, op, {
      action: 'rental.ordered',
      target: jobId,
      payload: { job_id: jobId, lease_id: id, number },
    })
  })
  return { id, machineName }
}

/** Records the machine that an order led to, with the provider's price where it states one. */
export async function setMachine(
  op: Operation,
  {
    leaseId,
    machineId,
    usdPerHour,
  }: { readonly leaseId: string; readonly machineId: string; readonly usdPerHour: number | null },
): Promise<void> {
  await op.write(
    async (tx) =>
      await tx.q
        .updateTable('rental_leases')
        .set({
          machine_id: machineId,
          ...(usdPerHour !== null && { rate_usd_micros: Math.ceil(usdPerHour * 1_000_000) }),
        })
        .where('id', '=', leaseId)
        .where('tenant_id', '=', op.tenantId)
        .execute(),
  )
}

/** Asks a machine to stop; it gets that with the answer to its next call. */
export async function closeLease(op: Operation, leaseId: string): Promise<void> {
  await op.write(
    async (tx) =>
      await tx.q
        .updateTable('rental_leases')
        .set({ closing_at: op.now() })
        .where('id', '=', leaseId)
        .where('tenant_id', '=', op.tenantId)
        .where('closing_at', 'is', null)
        .execute(),
  )
}

/** Records the confirmed end of a machine and its cost; one that came to nothing has none. A no-op for one that ended. */
export async function endLease(
  op: Operation,
  { leaseId, isCharged }: { readonly leaseId: string; readonly isCharged: boolean },
): Promise<void> {
  await op.write(async (tx) => {
    const lease = await tx.q
      .selectFrom('rental_leases')
      .select([
        'job_id as jobId',
        'ordered_at as orderedAt',
        'metered_at as meteredAt',
        'rate_usd_micros as rateUsdMicros',
      ])
      .where('id', '=', leaseId)
      .where('tenant_id', '=', op.tenantId)
      .where('ended_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (lease === undefined) return
    const endedAt = op.now()
    const cost = isCharged ? costOf({ ...lease, endedAt }, endedAt) : 0
    if (isCharged) await meterTime(tx, op, { ...lease, id: leaseId, meteredAt: lease.meteredAt ?? null, isLast: true })
    await tx.q
      .updateTable('rental_leases')
      .set({ ended_at: endedAt, cost_usd_micros: cost })
      .where('id', '=', leaseId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    await tx.q
      .updateTable('rentals')
      .set({ cost_usd_micros: sql<number>`cost_usd_micros + ${cost}` })
      .where('job_id', '=', lease.jobId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    await recordAudit(tx, op, {
      action: 'rental.ended',
      target: lease.jobId,
      payload: { job_id: lease.jobId, lease_id: leaseId, cost_usd_micros: cost },
    })
  })
}

/**
 * Charges a machine that came late, after its order had counted as one that came to nothing: from its order until now. A
 * no-op for one that was charged.
 */
export async function chargeLate(op: Operation, leaseId: string): Promise<void> {
  await op.write(async (tx) => {
    const lease = await tx.q
      .selectFrom('rental_leases')
      .select(['job_id as jobId', 'ordered_at as orderedAt', 'rate_usd_micros as rateUsdMicros'])
      .where('id', '=', leaseId)
      .where('tenant_id', '=', op.tenantId)
      .where('ended_at', 'is not', null)
      .where('cost_usd_micros', '=', 0)
      .forUpdate()
      .executeTakeFirst()
    if (lease === undefined) return
    const endedAt = op.now()
    const cost = costOf({ ...lease, endedAt }, endedAt)
    await tx.q
      .updateTable('rental_leases')
      .set({ ended_at: endedAt, cost_usd_micros: cost })
      .where('id', '=', leaseId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    await tx.q
      .updateTable('rentals')
      .set({ cost_usd_micros: sql<number>`cost_usd_micros + ${cost}` })
      .where('job_id', '=', lease.jobId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
  })
}

/**
 * Ends a rental of which no machine is left. Without an adapter its newest checkpoint is kept for the next rental of the
 * same rows. Safe to repeat.
 */
export async function finishRental(
  op: Operation,
  input: { readonly jobId: string; readonly errorCode: string | null; readonly tokensPerSecond: number | null },
): Promise<void> {
  const { jobId, errorCode, tokensPerSecond } = input
  await op.write(async (tx) => {
    const [rental] = await tx.q
      .updateTable('rentals')
      .set({ ended_at: op.now(), error_code: errorCode, tokens_per_second: tokensPerSecond })
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .where('ended_at', 'is', null)
      .returning('fit')
      .execute()
    const fit = rental?.fit ?? null
    if (fit === null) return
    if (errorCode === null) {
      await tx.q.deleteFrom('rental_checkpoints').where('tenant_id', '=', op.tenantId).where('fit', '=', fit).execute()
      return
    }
    const kept = await tx.q
      .selectFrom('training_records')
      .select(['blob_sha256 as blobSha256', sql<number>`coalesce((facts ->> 'step')::integer, 0)`.as('step')])
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .where('fit', '=', fit)
      .where('role', '=', 'checkpoint')
      .executeTakeFirst()
    if (kept === undefined || kept.blobSha256 === null) return
    const content = { blob_sha256: kept.blobSha256, step: kept.step, kept_at: op.now() }
    await tx.q
      .insertInto('rental_checkpoints')
      .values({ tenant_id: op.tenantId, fit, ...content })
      .onConflict((on) => on.columns(['tenant_id', 'fit']).doUpdateSet(content))
      .execute()
  })
}

import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Json, JsonObject, Sha256 } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import { meterTime } from './meter.ts'

/**
 * Binds a lease to the secret that its machine chose. The first call wins; the same secret may come again. Throws
 * `lease_taken` for another one: the token was used already.
 */
export async function bindSession(
  op: Operation,
  { leaseId, sessionHash }: { readonly leaseId: string; readonly sessionHash: string },
): Promise<void> {
  await op.write(async (tx) => {
    const now = op.now()
    const bound = await tx.q
      .updateTable('rental_leases')
      .set({ session_hash: sessionHash, opened_at: now, seen_at: now })
      .where('id', '=', leaseId)
      .where('tenant_id', '=', op.tenantId)
      .where((of) => of.or([of('session_hash', 'is', null), of('session_hash', '=', sessionHash)]))
      .returning('id')
      .execute()
    if (bound.length === 0) throw COMPILE_ERRORS.lease_taken('another machine has opened this lease already')
  })
}

/** A machine's report about its lease. */
export interface LeaseChange {
  readonly progress?: JsonObject
  readonly hasCheckpoint?: true
  readonly configSha256?: Sha256
  readonly weightsSha256?: Sha256
  readonly trainingSha256?: Sha256
  readonly result?: JsonObject
  readonly failureCode?: string
}

/**
 * Records what a machine reports; it was seen now, and its time until now is metered. Throws `lease_over` when the lease
 * ended meanwhile.
 */
export async function changeLease(
  op: Operation,
  leaseId: string,
  change: LeaseChange,
): Promise<{ readonly isClosing: boolean }> {
  return await op.write(async (tx) => {
    const now = op.now()
    const { progress, result } = change
    const [changed] = await tx.q
      .updateTable('rental_leases')
      .set({
        seen_at: now,
        ...(progress !== undefined && { progress: json<Json>(progress) }),
        ...(change.hasCheckpoint === true && { checkpoint_at: now }),
        ...(change.configSha256 !== undefined && { config_sha256: change.configSha256 }),
        ...(change.weightsSha256 !== undefined && { weights_sha256: change.weightsSha256 }),
        ...(change.trainingSha256 !== undefined && { training_sha256: change.trainingSha256 }),
        ...(result !== undefined && { result: json(result) }),
        ...(change.failureCode !== undefined && { failure_code: change.failureCode }),
      })
      .where('id', '=', leaseId)
      .where('tenant_id', '=', op.tenantId)
      .where('ended_at', 'is', null)
      .where('result', 'is', null)
      .where('failure_code', 'is', null)
      .returning([
        'closing_at as closingAt',
        'job_id as jobId',
        'ordered_at as orderedAt',
        'metered_at as meteredAt',
        'rate_usd_micros as rateUsdMicros',
      ])
      .execute()
    if (changed === undefined) throw COMPILE_ERRORS.lease_over('the lease is over')
    const { closingAt, meteredAt, ...lease } = changed
    const isLast = result !== undefined || change.failureCode !== undefined
    await meterTime(tx, op, { ...lease, id: leaseId, meteredAt: meteredAt ?? null, isLast })
    return { isClosing: closingAt !== null }
  })
}

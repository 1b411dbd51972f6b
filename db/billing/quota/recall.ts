import { setTimeout as sleep } from 'node:timers/promises'
import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { reclaimLeases } from '../across/reclaim-leases.ts'
import type { QuotaAccount } from './units.ts'

const WAIT_MS = 400
const STEP_MS = 20

/**
 * Runs an attempt to take units. When too few are left while processes still hold uncharged ones, asks for those and
 * retries for a moment; units of dead processes return without being asked for. Throws the attempt's `quota_exhausted`
 * when none returned.
 */
export async function takeWithRecall<T>(
  db: Database,
  account: QuotaAccount & { readonly ownLeaseId?: string },
  attempt: () => Promise<T>,
): Promise<T> {
  const giveUpAt = Date.now() + WAIT_MS
  let isAsked = false
  for (let isLast = false; ;) {
    try {
      return await attempt()
    } catch (error) {
      const isShort = BILLING_ERRORS.quota_exhausted.matches(error)
      if (!isShort || isLast || Date.now() > giveUpAt) throw error
    }
    if (await areUnitsLeased(db, account)) {
      if (!isAsked) {
        await reclaimLeases(db, { tenantId: account.tenantId })
        await tenantOf(db, account.tenantId).write(async (tx) => await recallLeases(tx, account))
      }
      isAsked = true
      await sleep(STEP_MS)
    } else {
      // They may have returned between the attempt and this check.
      isLast = true
    }
  }
}

/**
 * Recalls all leases of a tenant from every process when its quota has shrunk: units leased under the larger one must
 * not be charged. Part of the transaction that changes it.
 */
export async function recallLeases(tx: Transaction, account: QuotaAccount): Promise<void> {
  await tx.q.selectNoFrom(notify('svc_quota', recallPayload(account)).as('notified')).execute()
}

/** Returns the payload of the notification that asks lease holders for their uncharged units. */
export function recallPayload(account: QuotaAccount): string {
  return `${account.tenantId} ${account.period}`
}

async function areUnitsLeased(
  db: Database,
  account: QuotaAccount & { readonly ownLeaseId?: string },
): Promise<boolean> {
  const { tenantId, period, ownLeaseId } = account
  const leases = await tenantOf(db, tenantId).read((q) =>
    q
      .selectFrom('quota_leases')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('period', '=', period)
      .whereRef('granted_units', '>', 'spent_units')
      .$if(ownLeaseId !== undefined, (all) => all.where('id', '!=', ownLeaseId ?? ''))
      .limit(1),
  )
  return leases.length > 0
}

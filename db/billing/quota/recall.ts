import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Database, SqlRunner } from '../../kernel/database.ts'
import { reclaimLeases } from './reclaim.ts'
import type { QuotaAccount } from './units.ts'

const WAIT_MS = 400
const STEP_MS = 20

/**
 * Runs an attempt to take units. When it fails for want of them while processes still hold unspent ones, asks those
 * to give them back and tries again for a moment; what dead ones hold comes back without being asked for. Throws the
 * attempt's `quota_exhausted` when nothing came back.
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
      const isShort = error instanceof DomainError && error.code === 'quota_exhausted'
      if (!isShort || isLast || Date.now() > giveUpAt) throw error
    }
    if (await areUnitsLeased(db, account)) {
      if (!isAsked) {
        await reclaimLeases(db, { tenantId: account.tenantId })
        await recallLeases(db, account)
      }
      isAsked = true
      await sleep(STEP_MS)
    } else {
      // They may have come back between the attempt and this look.
      isLast = true
    }
  }
}

/**
 * Calls all leases of a tenant back from every process, when its quota has become smaller: what was leased under the
 * larger one must not be spent. Part of the transaction that changes it.
 */
export async function recallLeases(sql: SqlRunner, account: QuotaAccount): Promise<void> {
  await sql.query(`select pg_notify('svc_quota', $1)`, [recallPayload(account)])
}

/** What the notification says that asks holders of leases for their unspent units. */
export function recallPayload(account: QuotaAccount): string {
  return `${account.tenantId} ${account.period}`
}

async function areUnitsLeased(
  db: Database,
  account: QuotaAccount & { readonly ownLeaseId?: string },
): Promise<boolean> {
  const leases = await db.query(
    `select 1 from quota_leases
     where tenant_id = $1 and period = $2 and granted_units > spent_units and id is distinct from $3::uuid limit 1`,
    [account.tenantId, account.period, account.ownLeaseId ?? null],
  )
  return leases.length > 0
}

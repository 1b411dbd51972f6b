import { PLAN_IDS } from '../../core/tenancy/plans.ts'
import { auditDaysOf } from '../../core/tenancy/audit-days.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { ChainHead } from '../../core/evidence/ledger/ledger.ts'
import type { Database } from '../database.ts'
import { addCheckpoint } from './checkpoints.ts'
import { pruneAudit } from './prune-audit.ts'
import { settleLedger } from './settle.ts'

/** Entries that have waited for this long were left behind by a process that died. */
const LEFT_MS = 10_000
/** A chain that grows gets a checkpoint at least this often. */
const CHECKPOINT_MS = 3_600_000
const DAY_MS = 86_400_000
/** Tenants that are looked up at once. */
const TENANTS = 200

/** What the chores of the ledgers work with. */
export interface KeepLedgersInput {
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** Chains what processes left waiting that died. Answers of how many tenants. */
export async function chainLeftovers(db: Database, { now, signal }: KeepLedgersInput): Promise<number> {
  const before = new Date(now().getTime() - LEFT_MS)
  return await eachTenant(signal, async (afterId) => {
    const tenants = await db.query<{ tenantId: string }>(
      `select distinct tenant_id as "tenantId" from audit_pending where tenant_id > $1 and at < $2
       order by 1 limit ${TENANTS}`,
      [afterId, before],
    )
    for (const { tenantId } of tenants) await settleLedger(db, { tenantId, now })
    return tenants
  })
}

/** Signs the end of every chain that has grown and has no checkpoint of the last hour. Answers how many. */
export async function signGrownChains(db: Database, { now, signal }: KeepLedgersInput): Promise<number> {
  const before = new Date(now().getTime() - CHECKPOINT_MS)
  return await eachTenant(signal, async (afterId) => {
    const tenants = await db.query<ChainHead & { readonly tenantId: string }>(
      `select head.tenant_id as "tenantId", head.seq, head.hash as event_hash
       from audit_heads head
       left join lateral (
         select seq, at from audit_checkpoints where tenant_id = head.tenant_id order by seq desc limit 1) last on true
       where head.tenant_id > $1 and head.seq > coalesce(last.seq, 0) and coalesce(last.at < $2, true)
       order by head.tenant_id limit ${TENANTS}`,
      [afterId, before],
    )
    for (const { tenantId, ...head } of tenants) await addCheckpoint(db, { tenantId, head, now: now() })
    return tenants
  })
}

/** Removes the entries whose time is over by the plan of their tenant; the operator's stay longest. Answers how many. */
export async function pruneLedgers(
  db: Database,
  { now, signal, limits, requestId }: KeepLedgersInput & { readonly limits: Limits; readonly requestId: string },
): Promise<number> {
  const cutoffs = PLAN_IDS.map((plan) => new Date(now().getTime() - auditDaysOf(plan, limits) * DAY_MS))
  let removed = 0
  await eachTenant(signal, async (afterId) => {
    const tenants = await db.query<{ tenantId: string; before: Date }>(
      `select tenant.id as "tenantId", due.before
       from tenants tenant
       join unnest($2::text[], $3::timestamptz[]) as due (plan, before) on due.plan =
         case tenant.kind when 'operator' then 'enterprise' else tenant.plan end
       where tenant.id > $1 and exists (
         select 1 from audit_checkpoints
         where tenant_id = tenant.id and at < due.before and pruned_through_at is null
           and seq >= (select min(seq) from audit_entries where tenant_id = tenant.id))
       order by tenant.id limit ${TENANTS}`,
      [afterId, PLAN_IDS, cutoffs],
    )
    for (const { tenantId, before } of tenants) {
      for (let some = 1; some > 0 && !signal.aborted; removed += some) {
        some = await pruneAudit(db, { tenantId, before, requestId, now })
      }
    }
    return tenants
  })
  return removed
}

/** Takes page after page of tenants, in the order of their ids, and answers how many there were. */
async function eachTenant(
  signal: AbortSignal,
  takePage: (afterId: string) => Promise<readonly { readonly tenantId: string }[]>,
): Promise<number> {
  let count = 0
  for (let afterId = ''; !signal.aborted;) {
    const tenants = await takePage(afterId)
    count += tenants.length
    const last = tenants.at(-1)
    if (last === undefined || tenants.length < TENANTS) break
    afterId = last.tenantId
  }
  return count
}

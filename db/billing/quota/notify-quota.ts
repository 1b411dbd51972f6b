import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import type { Database } from '../../kernel/database.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { periodOf, resetsAt } from './period.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'

/** Tenants that are looked at in one go; the rest is for the next. */
const BATCH = 200

interface NearlyUsedUp {
  readonly tenantId: string
  readonly name: string
  readonly email: string
  readonly used: number
  readonly quota: number
  /** Whether 80 or 100 percent are used. */
  readonly percent: 80 | 100
}

/**
 * Mails those whose month is used up to 80 or to 100 percent, each of the two at most once a month: the mark that says so
 * is set in the transaction that queues the mail. Only verified addresses are written to, and not those of tenants whose
 * settings say no. Answers how many mails.
 */
export async function notifyQuota(
  db: Database,
  input: { readonly limits: Limits; readonly now: Date },
): Promise<number> {
  const { limits, now } = input
  const period = periodOf(now)
  const due = await db.query<NearlyUsedUp>(
    `select * from (
       select t.id as "tenantId", t.name, t.email, u.used, terms.quota, q.notice_percent as noticed,
         case when u.used >= terms.quota then 100 else 80 end as percent
       from quota_periods q
       join tenants t on t.id = q.tenant_id
       join unnest($2::text[], $3::bigint[]) as p(plan, quota) on p.plan = t.plan
       cross join lateral (select coalesce(t.quota_override, p.quota) as quota) terms
       cross join lateral (
         select q.used_units - coalesce((
           select sum(granted_units - spent_units) from quota_leases l where l.tenant_id = t.id and l.period = q.period
         ), 0)::bigint as used
       ) u
       where q.period = $1 and q.used_units * 100 >= terms.quota * 80
         and t.kind = 'user' and t.deleted_at is null and t.is_email_verified and t.email is not null
         and t.settings ->> 'notifications_email' is distinct from 'false'
         and terms.quota > 0 and u.used * 100 >= terms.quota * 80
     ) near where percent > noticed limit ${BATCH}`,
    [period, PLAN_IDS, PLAN_IDS.map((plan) => quotaOf({ plan, quota: null }, limits))],
  )
  let mailed = 0
  for (const tenant of due) if (await notify(db, tenant, period, now)) mailed++
  return mailed
}

async function notify(db: Database, tenant: NearlyUsedUp, period: string, now: Date): Promise<boolean> {
  const { tenantId, name, email, used, quota, percent } = tenant
  return await inTransaction(db, tenantId, async (tx) => {
    const marked = await tx.query(
      `update quota_periods set notice_percent = $3
       where tenant_id = $1 and period = $2 and notice_percent < $3 returning 1`,
      [tenantId, period, percent],
    )
    if (marked.length === 0) return false
    await enqueueMail(tx, db, {
      template: percent === 100 ? 'quota_100' : 'quota_80',
      to: email,
      tenantId,
      params: {
        workspace: name,
        used: String(used),
        quota: String(quota),
        resets_at: resetsAt(now).toISOString(),
      },
      now,
    })
    return true
  })
}

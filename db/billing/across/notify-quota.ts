import { sql, type NotNull } from 'kysely'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import type { Limits } from '../../../core/billing/limits.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { service } from '../../kernel/queries/service.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import { resetsAt } from '../../../core/kernel/tenant/quota-month.ts'
import { periodOf } from '../quota/period.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'

/** Number of tenants in one pass; the next pass handles the rest. */
const BATCH = 200

interface NearlyUsedUp {
  readonly tenantId: string
  readonly name: string
  readonly email: string
  readonly used: number
  readonly quota: number
  /** Share of the quota that is used: 80 or 100 percent. */
  readonly percent: 80 | 100
}

/**
 * Mails tenants that have used 80 or 100 percent of their month, each at most once a month: the mark is set in the
 * transaction that queues the mail. Writes only to verified addresses, and not to tenants whose settings decline. A tenant
 * whose mail cannot be queued is reported to the operator and retried with the next call; the others get their mails.
 * Returns the number of mails. Throws `store_unavailable`.
 */
export async function notifyQuota(
  db: Database,
  input: { readonly limits: Limits; readonly now: Date },
): Promise<number> {
  const { limits, now } = input
  const period = periodOf(now)
  const plans = unnest('p', {
    plan: list('text', PLAN_IDS),
    quota: list(
      'bigint',
      PLAN_IDS.map((plan) => quotaOf({ plan, quota: null }, limits)),
    ),
  })
  const due = await service.read(db, 'finds the tenants whose month is nearly used up', (q) =>
    q
      .selectFrom((all) =>
        all
          .selectFrom('quota_periods as q')
          .innerJoin('tenants as t', 't.id', 'q.tenant_id')
          .innerJoin(plans, 'p.plan', 't.plan')
          .crossJoinLateral(q.selectNoFrom(sql<number>`coalesce(t.quota_override, p.quota)`.as('quota')).as('terms'))
          .crossJoinLateral((each) =>
            each
              .selectFrom('quota_leases as l')
              .select(sql<number>`q.used_units - coalesce(sum(l.granted_units - l.spent_units), 0)::bigint`.as('used'))
              .whereRef('l.tenant_id', '=', 't.id')
              .whereRef('l.period', '=', 'q.period')
              .as('u'),
          )
          .select([
            't.id as tenantId',
            't.name',
            't.email',
            'u.used',
            'terms.quota',
            'q.notice_percent as noticed',
            sql<80 | 100>`case when u.used >= terms.quota then 100 else 80 end`.as('percent'),
          ])
          .where('q.period', '=', period)
          .where(sql<boolean>`q.used_units * 100 >= terms.quota * 80`)
          .where('t.kind', '=', 'user')
          .where('t.deleted_at', 'is', null)
          .where('t.is_email_verified', '=', true)
          .where('t.email', 'is not', null)
          .where(sql<boolean>`t.settings ->> 'notifications_email' is distinct from 'false'`)
          .where('terms.quota', '>', 0)
          .where(sql<boolean>`u.used * 100 >= terms.quota * 80`)
          .as('near'),
      )
      .selectAll()
      .whereRef('percent', '>', 'noticed')
      .limit(sql.lit(BATCH))
      .$narrowType<{ email: NotNull }>(),
  )
  let mailed = 0
  for (const tenant of due) {
    try {
      if (await notify(db, tenant, period, now)) mailed++
    } catch (error) {
      if (error instanceof DomainError) throw error
      db.warn(`${tenant.tenantId} could not be notified of its quota: ${String(error)}`)
    }
  }
  return mailed
}

async function notify(db: Database, tenant: NearlyUsedUp, period: string, now: Date): Promise<boolean> {
  const { tenantId, name, email, used, quota, percent } = tenant
  return await tenantOf(db, tenantId).write(async (tx) => {
    const marked = await tx.q
      .updateTable('quota_periods')
      .set({ notice_percent: percent })
      .where('tenant_id', '=', tenantId)
      .where('period', '=', period)
      .where('notice_percent', '<', percent)
      .returning('period')
      .execute()
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

import { sql } from 'kysely'
import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import type { DomainError } from '../../../core/kernel/errors.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { resetsAt } from '../../../core/kernel/tenant/quota-month.ts'
import { periodOf } from './period.ts'

/** Months are counted in UTC. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The tenant and the month. */
export interface QuotaAccount {
  readonly tenantId: string
  readonly period: string
}

/** Returns taken units. */
export async function returnUnits(tx: Transaction, account: QuotaAccount, units: number): Promise<void> {
  await tx.q
    .updateTable('quota_periods')
    .set({ used_units: sql<number>`greatest(used_units - ${units}::bigint, 0)` })
    .where('tenant_id', '=', account.tenantId)
    .where('period', '=', account.period)
    .execute()
}

const unitsOf = prepared((q, { tenantId, period }: QuotaAccount) =>
  q.selectNoFrom([
    q
      .selectFrom('quota_periods')
      .select('used_units')
      .where('tenant_id', '=', tenantId)
      .where('period', '=', period)
      .as('taken'),
    q
      .selectFrom('quota_leases')
      .select(sql<number>`coalesce(sum(granted_units - spent_units), 0)::bigint`.as('units'))
      .where('tenant_id', '=', tenantId)
      .where('period', '=', period)
      .$asScalar()
      .$notNull()
      .as('leased'),
  ]),
)

/** Returns the units used so far: taken units less uncharged ones in leases. */
export async function usedUnits(from: Reader, account: QuotaAccount): Promise<number> {
  const [row] = await from.read(() => unitsOf(account))
  return Math.max((row?.taken ?? 0) - (row?.leased ?? 0), 0)
}

/** Returns the error of a tenant whose remaining units are fewer than the cost of `what`, a call or a compile. */
export async function quotaExhausted(
  from: Reader,
  tenantId: string,
  cost: { readonly what: string; readonly units: number; readonly quota: number },
  now: Date,
): Promise<DomainError> {
  const { what, units, quota } = cost
  const used = await usedUnits(from, { tenantId, period: periodOf(now) })
  const left = Math.max(quota - used, 0)
  const end = resetsAt(now)
  return BILLING_ERRORS.quota_exhausted(
    `${what} costs ${countUnits(units)}; ${left} of this month's ${countUnits(quota)} ${left === 1 ? 'is' : 'are'} left. The quota resets on ${DAY.format(end)}`,
    {
      details: { used, quota, remaining: left, needed: units, resets_at: end.toISOString() },
      retryAfterS: Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000)),
    },
  )
}

function countUnits(units: number): string {
  return units === 1 ? '1 unit' : `${units} units`
}

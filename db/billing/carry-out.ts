import type { CustomerUpdate } from '../../core/billing/processor.ts'
import { endOf } from '../../core/billing/standing.ts'
import { isOver } from '../../core/billing/fold.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { Database } from '../database.ts'
import type { Operation } from '../operation.ts'
import { inTransaction } from '../transaction.ts'
import { readBillingRows } from './facts.ts'
import { projectBilling } from './project.ts'

/** What remains to be done for a tenant's billing rows. */
export interface BillingWork {
  /** When the next subscription ends; null when none does. */
  readonly nextEndAt: Date | null
  /** True when the processor has yet to be told of something. */
  readonly isPushDue: boolean
}

/** Puts into force what time has brought, such as the end of a paid period, and says what remains. */
export async function settleBilling(op: Operation, input: { readonly limits: Limits }): Promise<BillingWork> {
  await inTransaction(op.db, op.tenantId, async (tx) => {
    await projectBilling(tx, op, { limits: input.limits, reason: 'period-end' })
  })
  const { subscriptions } = await readBillingRows(op.db, op.tenantId)
  const now = op.now()
  const ends = subscriptions
    .filter(({ status }) => !isOver(status))
    .flatMap((subscription) => endOf(subscription)?.getTime() ?? [])
    .filter((end) => end > now.getTime())
  return {
    nextEndAt: ends.length === 0 ? null : new Date(Math.min(...ends)),
    isPushDue: (await endsToPush(op.db, op.tenantId)).length > 0 || (await taxToPush(op.db, op.tenantId)) !== null,
  }
}

/** An end that the processor has not been told of. */
export interface EndToPush {
  readonly subscriptionId: string
  readonly endsAt: Date
}

/** Ends that were decided here, and that the processor has not been told of. */
export async function endsToPush(db: Database, tenantId: string): Promise<readonly EndToPush[]> {
  return await db.query<EndToPush>(
    `select id as "subscriptionId", ends_at as "endsAt" from subscriptions
     where tenant_id = $1 and ends_at is not null and end_pushed_at is null
       and status not in ('canceled', 'incomplete_expired')
     order by id`,
    [tenantId],
  )
}

/** Notes that the processor was told of an end, unless another one was decided meanwhile. */
export async function markEndPushed(
  db: Database,
  input: EndToPush & { readonly tenantId: string; readonly now: Date },
): Promise<void> {
  await db.query(
    `update subscriptions set end_pushed_at = $4, is_cancel_at_period_end = true
     where tenant_id = $1 and id = $2 and ends_at = $3`,
    [input.tenantId, input.subscriptionId, input.endsAt, input.now],
  )
}

/** Tax fields that the processor has not got. */
export interface TaxToPush extends Omit<CustomerUpdate, 'idempotencyKey'> {
  readonly dirtyAt: Date
}

/** Tax fields of a tenant that the processor has not got; null when it has them, or has no customer to write them to. */
export async function taxToPush(db: Database, tenantId: string): Promise<TaxToPush | null> {
  const [row] = await db.query<TaxToPush>(
    `select customer_id as "customerId", vat_number as "vatNumber", tax_id as "taxId", company_name as "companyName",
       country_code as "countryCode", tax_dirty_at as "dirtyAt"
     from billing_accounts where tenant_id = $1 and tax_dirty_at is not null and customer_id is not null`,
    [tenantId],
  )
  return row ?? null
}

/** Notes that the processor has the tax fields, unless they were changed meanwhile. */
export async function markTaxPushed(
  db: Database,
  input: { readonly tenantId: string; readonly dirtyAt: Date },
): Promise<void> {
  await db.query('update billing_accounts set tax_dirty_at = null where tenant_id = $1 and tax_dirty_at = $2', [
    input.tenantId,
    input.dirtyAt,
  ])
}

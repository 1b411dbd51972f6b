import type { CustomerSnapshot } from '../../../../core/billing/events.ts'
import { supersedes, type Version } from '../../../../core/billing/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/** A customer's balance: what the processor owes for a plan that was given up, for instance. */
export async function applyCustomer(
  tx: Transaction,
  op: Operation,
  snapshot: CustomerSnapshot,
  version: Version,
): Promise<void> {
  const [held] = await tx.query<{ created: number; eventId: string }>(
    'select event_created as created, event_id as "eventId" from billing_accounts where tenant_id = $1',
    [op.tenantId],
  )
  if (held !== undefined && !supersedes({ rank: 0, version }, { rank: 0, version: held })) return
  await tx.query(
    `insert into billing_accounts (tenant_id, credit_balance_cents, event_created, event_id, updated_at)
     values ($1, $2, $3, $4, $5)
     on conflict (tenant_id) do update set credit_balance_cents = excluded.credit_balance_cents,
       event_created = excluded.event_created, event_id = excluded.event_id, updated_at = excluded.updated_at`,
    [op.tenantId, snapshot.creditBalanceCents, version.created, version.eventId, op.now()],
  )
}

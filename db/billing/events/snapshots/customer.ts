import type { CustomerSnapshot } from '../../../../core/billing/events/events.ts'
import { supersedes, type Version } from '../../../../core/billing/events/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/** Applies a customer's balance: the processor's credit, for instance for an abandoned plan. */
export async function applyCustomer(
  tx: Transaction,
  op: Operation,
  snapshot: CustomerSnapshot,
  version: Version,
): Promise<void> {
  const held = await tx.q
    .selectFrom('billing_accounts')
    .select(['event_created as created', 'event_id as eventId'])
    .where('tenant_id', '=', op.tenantId)
    .executeTakeFirst()
  if (held !== undefined && !supersedes({ rank: 0, version }, { rank: 0, version: held })) return
  await tx.q
    .insertInto('billing_accounts')
    .values({
      tenant_id: op.tenantId,
      credit_balance_cents: snapshot.creditBalanceCents,
      event_created: version.created,
      event_id: version.eventId,
      updated_at: op.now(),
    })
    .onConflict((on) =>
      on.column('tenant_id').doUpdateSet({
        credit_balance_cents: (of) => of.ref('excluded.credit_balance_cents'),
        event_created: (of) => of.ref('excluded.event_created'),
        event_id: (of) => of.ref('excluded.event_id'),
        updated_at: (of) => of.ref('excluded.updated_at'),
      }),
    )
    .execute()
}

import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** A refund that the processor has accepted. */
export interface FinishedRefund {
  /** Our own id of it. */
  readonly refundId: string
  readonly processorId: string
  readonly amountCents: number
  readonly currency: string
}

/** Completes a refund, once: by the reply of the processor or by its event, whichever comes first. */
export async function finishRefund(tx: Transaction, op: Operation, input: FinishedRefund): Promise<void> {
  const { refundId, processorId, amountCents, currency } = input
  const ended = await tx.q
    .updateTable('refunds')
    .set({ state: 'succeeded', processor_id: processorId, amount_cents: amountCents, finished_at: op.now() })
    .where('id', '=', refundId)
    .where('tenant_id', '=', op.tenantId)
    .where('state', '=', 'pending')
    .returning('id')
    .execute()
  if (ended.length === 0) return
  await recordAudit(tx, op, {
    action: 'billing.refunded',
    target: refundId,
    payload: { processor_id: processorId, amount_cents: amountCents, currency },
  })
  await tell(tx, op, { template: 'refunded', amountCents, currency })
}

/**
 * Fails a refund that was refused, or that the bank reversed after its success; a customer notified of the refund is
 * notified of this too.
 */
export async function failRefund(
  tx: Transaction,
  op: Operation,
  input: { readonly refundId: string; readonly currency: string },
): Promise<void> {
  const { refundId, currency } = input
  const failed = await tx.q
    .updateTable('refunds')
    .from((of) =>
      of
        .selectFrom('refunds')
        .select(['id', 'state'])
        .where('id', '=', refundId)
        .where('tenant_id', '=', op.tenantId)
        .where('state', '!=', 'failed')
        .forUpdate()
        .as('before'),
    )
    .set({ state: 'failed', finished_at: op.now() })
    .whereRef('refunds.id', '=', 'before.id')
    .returning(['before.state', 'refunds.amount_cents as amountCents'])
    .executeTakeFirst()
  if (failed === undefined) return
  const { amountCents, state } = failed
  await recordAudit(tx, op, {
    action: 'billing.refund_failed',
    target: refundId,
    payload: { amount_cents: amountCents, currency },
  })
  if (state === 'succeeded') await tell(tx, op, { template: 'refund_failed', amountCents, currency })
}

async function tell(
  tx: Transaction,
  op: Operation,
  about: { readonly template: 'refunded' | 'refund_failed'; readonly amountCents: number; readonly currency: string },
): Promise<void> {
  const { template, amountCents, currency } = about
  const tenant = await tx.q
    .selectFrom('tenants')
    .select(['name', 'email'])
    .where('id', '=', op.tenantId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (tenant === undefined || tenant.email === null) return
  await enqueueMail(tx, op.db, {
    template,
    to: tenant.email,
    tenantId: op.tenantId,
    params: { workspace: tenant.name, amount: `${(amountCents / 100).toFixed(2)} ${currency.toUpperCase()}` },
    now: op.now(),
  })
}

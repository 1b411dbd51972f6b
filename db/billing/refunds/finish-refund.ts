import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** A refund that the processor has taken on. */
export interface FinishedRefund {
  /** Our own id of it. */
  readonly refundId: string
  readonly processorId: string
  readonly amountCents: number
  readonly currency: string
}

/** Ends a refund well, once: by the answer of the processor or by its event, whichever comes first. */
export async function finishRefund(tx: Transaction, op: Operation, input: FinishedRefund): Promise<void> {
  const { refundId, processorId, amountCents, currency } = input
  const ended = await tx.query(
    `update refunds set state = 'succeeded', processor_id = $3, amount_cents = $4, finished_at = $5
     where id = $1 and tenant_id = $2 and state = 'pending' returning 1`,
    [refundId, op.tenantId, processorId, amountCents, op.now()],
  )
  if (ended.length === 0) return
  await recordAudit(tx, op, {
    action: 'billing.refunded',
    target: refundId,
    payload: { processor_id: processorId, amount_cents: amountCents, currency },
  })
  await tell(tx, op, { template: 'refunded', amountCents, currency })
}

/** Ends a refund that was refused, or that the bank sent back after it had gone well; whoever was told of it hears so. */
export async function failRefund(
  tx: Transaction,
  op: Operation,
  input: { readonly refundId: string; readonly currency: string },
): Promise<void> {
  const { refundId, currency } = input
  const [failed] = await tx.query<{ state: string; amountCents: number }>(
    `update refunds set state = 'failed', finished_at = $3
     from (select id, state from refunds where id = $1 and tenant_id = $2 and state <> 'failed' for update) before
     where refunds.id = before.id
     returning before.state, amount_cents as "amountCents"`,
    [refundId, op.tenantId, op.now()],
  )
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
  const [tenant] = await tx.query<{ name: string; email: string | null }>(
    'select name, email from tenants where id = $1 and deleted_at is null',
    [op.tenantId],
  )
  if (tenant === undefined || tenant.email === null) return
  await enqueueMail(tx, op.db, {
    template,
    to: tenant.email,
    tenantId: op.tenantId,
    params: { workspace: tenant.name, amount: `${(amountCents / 100).toFixed(2)} ${currency.toUpperCase()}` },
    now: op.now(),
  })
}

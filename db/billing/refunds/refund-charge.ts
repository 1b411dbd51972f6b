import type {
  PaymentProcessor,
  ProcessorCharge,
  ProcessorRefund,
  RefundReason,
} from '../../../core/billing/processor.ts'
import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { apart, type Operation } from '../../kernel/operation.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { payerOfCharge } from '../across/payer-of-charge.ts'
import { failRefund, finishRefund } from './finish-refund.ts'

/** The payment to refund, and the amount. */
export interface RefundChargeInput {
  readonly chargeId?: string | undefined
  readonly paymentIntentId?: string | undefined
  /** The whole remainder when absent. */
  readonly amountCents?: number | undefined
  readonly reason?: RefundReason | undefined
  /** The tenant that the caller expects. */
  readonly tenantId?: string | undefined
}

/** Result of a refund. */
export interface RefundedCharge {
  readonly tenantId: string
  readonly refund: ProcessorRefund
}

/** The request to the processor, identical on each attempt: it refuses another request under the same key. */
interface Pending {
  readonly id: string
  readonly idempotencyKey: string
  readonly amountCents: number
  readonly reason: RefundReason | null
}

const PENDING = ['id', 'idempotency_key as idempotencyKey', 'amount_cents as amountCents', 'reason'] as const

/**
 * Refunds a payment, in part or whole. Its owner follows from our own ledger of invoices: a charge that paid none of
 * them is `not_found`. The refund is recorded before the processor is called, so that after a lost reply the next call
 * resumes it instead of making a second one. Throws `charge_mismatch` for more than the remainder, for a charge of
 * another tenant than the expected one, and while another refund of the charge is under way; and `processor_failed`.
 */
export async function refundCharge(
  op: Operation,
  processor: PaymentProcessor,
  input: RefundChargeInput,
): Promise<RefundedCharge> {
  const charge = await chargeOf(processor, input)
  if (charge === null) throw KERNEL_ERRORS.not_found('no such charge')
  const tenantId = await payerOfCharge(op.db, charge)
  if (input.tenantId !== undefined && input.tenantId !== tenantId) {
    throw BILLING_ERRORS.charge_mismatch('the charge was paid by another tenant')
  }
  const own: Operation = { ...op, tenantId }
  const before = apart(own)
  const pending = await openRefund(before, charge, input)
  const refund = await callProcessor(before, processor, { pending, charge })
  if (refund.status === 'failed' || refund.status === 'canceled') {
    const failed = { refundId: pending.id, currency: refund.currency }
    await before.write(async (tx) => await failRefund(tx, before, failed))
    throw BILLING_ERRORS.processor_failed('the payment processor could not refund the payment')
  }
  await own.write(async (tx) => {
    await tx.q
      .insertInto('invoices')
      .values({
        id: refund.id,
        tenant_id: tenantId,
        kind: 'refund',
        amount_paid_cents: 0 - refund.amountCents,
        currency: refund.currency,
        status: refund.status,
        charge_id: charge.id,
        payment_intent_id: charge.paymentIntentId,
        customer_id: charge.customerId,
        description: 'Refund',
        event_created: 0,
        event_id: '',
        created_at: op.now(),
      })
      .onConflict((on) => on.column('id').doNothing())
      .execute()
    await finishRefund(tx, own, {
      refundId: pending.id,
      processorId: refund.id,
      amountCents: refund.amountCents,
      currency: refund.currency,
    })
  })
  return { tenantId, refund }
}

async function chargeOf(processor: PaymentProcessor, input: RefundChargeInput): Promise<ProcessorCharge | null> {
  if (input.chargeId !== undefined) return await processor.findCharge(input.chargeId)
  if (input.paymentIntentId !== undefined) return await processor.findChargeOfPaymentIntent(input.paymentIntentId)
  return null
}

async function openRefund(op: Operation, charge: ProcessorCharge, input: RefundChargeInput): Promise<Pending> {
  return await op.write(async (tx) => {
    await lockInTransaction(tx, `refund ${charge.id}`)
    const claimed = await findClaimed(tx, op, charge)
    if (claimed !== undefined) return claimed
    const open = await tx.q
      .selectFrom('refunds')
      .select(PENDING)
      .where('tenant_id', '=', op.tenantId)
      .where('charge_id', '=', charge.id)
      .where('state', '=', 'pending')
      .executeTakeFirst()
    if (open !== undefined) {
      if (input.amountCents === undefined || input.amountCents === open.amountCents) return open
      throw BILLING_ERRORS.charge_mismatch('another refund of this charge is under way', {
        details: { pending_cents: open.amountCents },
      })
    }
    const leftCents = charge.amountCents - charge.refundedCents
    const amountCents = input.amountCents ?? leftCents
    if (leftCents <= 0 || amountCents > leftCents) {
      throw BILLING_ERRORS.charge_mismatch('the amount is larger than what is left of the charge', {
        details: { left_cents: Math.max(leftCents, 0) },
      })
    }
    const id = newId('rfd')
    const idempotencyKey = `refund/${op.claimName ?? id}`
    const reason = input.reason ?? null
    await tx.q
      .insertInto('refunds')
      .values({
        id,
        tenant_id: op.tenantId,
        charge_id: charge.id,
        payment_intent_id: charge.paymentIntentId,
        amount_cents: amountCents,
        reason,
        state: 'pending',
        idempotency_key: idempotencyKey,
        created_at: op.now(),
      })
      .execute()
    await recordAudit(tx, op, {
      action: 'billing.refund_requested',
      target: id,
      payload: { charge: charge.id, amount_cents: amountCents, reason },
    })
    return { id, idempotencyKey, amountCents, reason }
  })
}

/**
 * Returns the refund that the same call recorded before it was interrupted, done or not: under its key the processor
 * returns the earlier result. A failed one is over, and refused again.
 */
async function findClaimed(tx: Transaction, op: Operation, charge: ProcessorCharge): Promise<Pending | undefined> {
  if (op.claimName === undefined) return undefined
  return await tx.q
    .selectFrom('refunds')
    .select(PENDING)
    .where('tenant_id', '=', op.tenantId)
    .where('charge_id', '=', charge.id)
    .where('idempotency_key', '=', `refund/${op.claimName}`)
    .executeTakeFirst()
}

async function callProcessor(
  op: Operation,
  processor: PaymentProcessor,
  call: { readonly pending: Pending; readonly charge: ProcessorCharge },
): Promise<ProcessorRefund> {
  const { pending, charge } = call
  try {
    return await processor.refund({
      chargeId: charge.id,
      amountCents: pending.amountCents,
      reason: pending.reason ?? undefined,
      refundId: pending.id,
      tenantId: op.tenantId,
      idempotencyKey: pending.idempotencyKey,
    })
  } catch (error) {
    // A refusal is final; a call without a reply may or may not have taken effect, so its row stays pending.
    if (BILLING_ERRORS.charge_mismatch.matches(error)) {
      const failed = { refundId: pending.id, currency: charge.currency }
      await op.write(async (tx) => await failRefund(tx, op, failed))
    }
    throw error
  }
}

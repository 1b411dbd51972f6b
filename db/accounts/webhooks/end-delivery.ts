import { sql } from 'kysely'
import type { WebhookEndpoint } from '../../../core/kernel/egress/webhooks/delivery.ts'
import type { Operation } from '../../kernel/operation.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { openEndpoint } from './set-webhook.ts'

/** A message that is to be sent. */
export interface DueDelivery {
  readonly id: string
  readonly kind: string
  readonly subjectId: string
  /** When its subject happened. */
  readonly dueAt: Date
  readonly endpoint: WebhookEndpoint
}

/** Returns a due delivery, with this attempt counted; null when it has ended, is not due, or does not exist. */
export async function takeDelivery(op: Operation, deliveryId: string): Promise<DueDelivery | null> {
  const row = await op.write(
    async (tx) =>
      await tx.q
        .updateTable('webhook_deliveries')
        .set({ attempts: sql<number>`attempts + 1` })
        .where('id', '=', deliveryId)
        .where('tenant_id', '=', op.tenantId)
        .where('state', '=', 'pending')
        .where('due_at', 'is not', null)
        .where('sealed_endpoint', 'is not', null)
        .returning(['id', 'kind', 'subject_id as subjectId', 'due_at as dueAt', 'sealed_endpoint as sealed'])
        .executeTakeFirst(),
  )
  if (row === undefined || row.sealed === null || row.dueAt === null) return null
  const { id, kind, subjectId, dueAt, sealed } = row
  return { id, kind, subjectId, dueAt, endpoint: openEndpoint(op.db, id, sealed) }
}

/** Notes the status that a receiver answered; null when there was no answer. */
export async function noteReply(
  op: Operation,
  { deliveryId, status }: { readonly deliveryId: string; readonly status: number | null },
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('webhook_deliveries')
      .set({ last_status: status })
      .where('id', '=', deliveryId)
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'pending')
      .execute()
  })
}

/** The end of a delivery. */
export interface DeliveryEnd {
  readonly deliveryId: string
  readonly state: 'sent' | 'failed' | 'skipped'
  readonly errorCode: string | null
}

/** Ends a delivery once, erases the address and the secret, and records it in the ledger. A no-op when it has ended. */
export async function endDelivery(op: Operation, { deliveryId, state, errorCode }: DeliveryEnd): Promise<void> {
  await op.write(async (tx) => {
    const ended = await tx.q
      .updateTable('webhook_deliveries')
      .set({ state, error_code: errorCode, ended_at: op.now(), sealed_endpoint: null })
      .where('id', '=', deliveryId)
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'pending')
      .returning(['kind', 'subject_id as subjectId', 'attempts', 'last_status as status'])
      .executeTakeFirst()
    if (ended === undefined || state === 'skipped') return
    await recordAudit(tx, op, {
      action: state === 'sent' ? 'webhook.sent' : 'webhook.failed',
      target: ended.subjectId,
      payload: {
        delivery_id: deliveryId,
        kind: ended.kind,
        attempts: ended.attempts,
        status: ended.status,
        ...(errorCode !== null && { error: errorCode }),
      },
    })
  })
}

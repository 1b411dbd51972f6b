import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { judgeReply } from '../../../core/kernel/egress/webhooks/judge-reply.ts'
import type { DeliveryState } from '../../../core/kernel/egress/webhooks/delivery.ts'
import { webhookHeaders } from '../../../core/kernel/egress/webhooks/sign-webhook.ts'
import { EgressError } from '../../../core/kernel/egress/egress-error.ts'
import { guardedRequest, type GuardedReply } from '../../../core/kernel/egress/guarded-request.ts'
import { resolveWithSystem } from '../../../core/kernel/egress/resolve-address.ts'
import { endDelivery, noteReply, takeDelivery, type DueDelivery } from '../../../db/accounts/webhooks/end-delivery.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { WebhookDeps } from './deps.ts'

/** One delivery. */
export interface DeliveryRef {
  readonly deliveryId: string
  readonly tenantId: string
}

/** The outcome of an attempt; `nothing` when there was no delivery left to make. */
export interface SendOutcome {
  readonly state: DeliveryState | 'nothing'
}

/** A receiver has this long to answer, milliseconds. */
const TIMEOUT_MS = 15_000
/** The answer says nothing that is read; a longer one is no answer of a receiver. */
const MAX_REPLY_BYTES = 256 * 1024

/**
 * Sends the message of one delivery once. At least once in all: an attempt that was taken but not recorded is repeated under
 * the same `webhook-id`. Throws `webhook_not_delivered` when trying again may help, `webhook_gone` after 410, and
 * `webhook_address_refused` for an address that may not be called.
 */
export async function sendWebhook(
  deps: WebhookDeps,
  ref: DeliveryRef,
  activity: { readonly signal: AbortSignal },
): Promise<SendOutcome> {
  const op = operationOf(deps, ref)
  const delivery = await takeDelivery(op, ref.deliveryId)
  if (delivery === null) return { state: 'nothing' }
  const read = deps.webhookData[delivery.kind]
  if (read === undefined) throw new Error(`no reader of the data of ${delivery.kind}`)
  const data = await read(op, delivery.subjectId)
  if (data === null) {
    await endDelivery(op, { deliveryId: delivery.id, state: 'skipped', errorCode: null })
    return { state: 'skipped' }
  }
  const body = JSON.stringify({ type: delivery.kind, timestamp: delivery.dueAt.toISOString(), data })
  await requireTaken(deps, op, await send(deps, delivery, { body, op, signal: activity.signal }), delivery)
  await endDelivery(op, { deliveryId: delivery.id, state: 'sent', errorCode: null })
  return { state: 'sent' }
}

/** Ends a delivery that could not be made. */
export async function giveUpWebhook(
  deps: WebhookDeps,
  { errorCode, ...ref }: DeliveryRef & { readonly errorCode: string },
): Promise<void> {
  await endDelivery(operationOf(deps, ref), { deliveryId: ref.deliveryId, state: 'failed', errorCode })
}

async function send(
  { allowsPrivateEgress, log, now }: WebhookDeps,
  { id, endpoint }: DueDelivery,
  { body, op, signal }: { readonly body: string; readonly op: Operation; readonly signal: AbortSignal },
): Promise<GuardedReply> {
  const headers = webhookHeaders({ id, at: now(), body }, endpoint.secret)
  const bounds = { allowsPrivate: allowsPrivateEgress, maxBytes: MAX_REPLY_BYTES, timeoutMs: TIMEOUT_MS, signal }
  try {
    return await guardedRequest({ method: 'POST', url: endpoint.url, headers, body }, bounds, resolveWithSystem)
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    // The address stays out of the log: it may hold a secret of its owner.
    log.warn({ delivery: id, fault: error.fault }, 'a hook was not reached')
    await noteReply(op, { deliveryId: id, status: null })
    if (error.fault === 'refused_address' || error.fault === 'unsupported_url') {
      throw ACCOUNTS_ERRORS.webhook_address_refused('the address of the hook may not be called')
    }
    throw ACCOUNTS_ERRORS.webhook_not_delivered(`the hook was not reached: ${error.fault}`)
  }
}

async function requireTaken(
  { now }: WebhookDeps,
  op: Operation,
  reply: GuardedReply,
  { id }: DueDelivery,
): Promise<void> {
  const { status } = reply
  await noteReply(op, { deliveryId: id, status })
  const verdict = judgeReply(reply, now())
  if (verdict.kind === 'taken') return
  if (verdict.kind === 'gone') throw ACCOUNTS_ERRORS.webhook_gone('the hook answered 410')
  throw ACCOUNTS_ERRORS.webhook_not_delivered(
    `the hook answered ${status}`,
    verdict.afterS === undefined ? {} : { retryAfterS: verdict.afterS },
  )
}

function operationOf({ db, now }: WebhookDeps, { deliveryId, tenantId }: DeliveryRef): Operation {
  return systemOperation(db, { tenantId, name: 'webhook-delivery', requestId: deliveryId, now })
}

import { z } from 'zod'
import type { WebhookEndpoint } from '../../../core/kernel/egress/webhooks/delivery.ts'
import { newWebhookSecret } from '../../../core/kernel/egress/webhooks/sign-webhook.ts'
import { WebhookDelivery } from '../../../core/accounts/workflows.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Database } from '../../kernel/database.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** The event that a hook waits for. */
export interface WebhookSubject {
  readonly tenantId: string
  /** The kind of the report: the `type` of the body. */
  readonly kind: string
  readonly subjectId: string
}

const Endpoint = z.object({ url: z.string(), secret: z.string() })

/**
 * Sets a hook on something that is to happen: nothing is sent before `makeWebhookDue`. Returns the secret that signs its
 * message; it is stored sealed and shown nowhere else.
 */
export async function setWebhook(
  tx: Transaction,
  db: Database,
  hook: WebhookSubject & { readonly url: string; readonly namespace: string | null; readonly now: Date },
): Promise<string> {
  const id = newId('hook')
  const secret = newWebhookSecret()
  await tx.em.flush()
  await tx.q
    .insertInto('webhook_deliveries')
    .values({
      id,
      tenant_id: hook.tenantId,
      kind: hook.kind,
      subject_id: hook.subjectId,
      namespace: hook.namespace,
      sealed_endpoint: sealEndpoint(db, id, { url: hook.url, secret }),
      state: 'pending',
      attempts: 0,
      created_at: hook.now,
    })
    .execute()
  return secret
}

const makeDue = prepared((q, row: WebhookSubject & { readonly now: Date }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ state: 'pending', due_at: row.now, ended_at: null })
    .where('tenant_id', '=', row.tenantId)
    .where('subject_id', '=', row.subjectId)
    .where('kind', '=', row.kind)
    .where('state', 'in', ['pending', 'skipped'])
    .where('sealed_endpoint', 'is not', null)
    .returning(['id', 'tenant_id as tenantId', 'kind']),
)

/** Sends the message of a hook after the commit, since the event that it waits for has happened. Also of one that was set aside. */
export async function makeWebhookDue(tx: Transaction, subject: WebhookSubject, now: Date): Promise<void> {
  const { tenantId, kind, subjectId } = subject
  const due = await tx.send(makeDue({ tenantId, kind, subjectId, now }))
  for (const { id, ...hook } of due) await requestStart(tx, WebhookDelivery, { deliveryId: id, ...hook })
}

/**
 * Sends nothing, since the event that a hook waits for does not happen. `mayHappenLater` keeps the address, so that `makeWebhookDue` still
 * sends the message; else it is erased.
 */
export async function skipWebhook(
  tx: Transaction,
  subject: WebhookSubject,
  { now, mayHappenLater }: { readonly now: Date; readonly mayHappenLater: boolean },
): Promise<void> {
  await tx.q
    .updateTable('webhook_deliveries')
    .set({ state: 'skipped', ended_at: now, ...(!mayHappenLater && { sealed_endpoint: null }) })
    .where('tenant_id', '=', subject.tenantId)
    .where('subject_id', '=', subject.subjectId)
    .where('kind', '=', subject.kind)
    .where('state', '=', 'pending')
    .where('due_at', 'is', null)
    .execute()
}

/** Opens the address and the secret of a hook. Throws an `Error` when they were changed or moved. */
export function openEndpoint(db: Database, id: string, sealed: Uint8Array): WebhookEndpoint {
  return Endpoint.parse(JSON.parse(Buffer.from(db.secrets.open(sealed, scopeOf(id))).toString('utf8')))
}

function sealEndpoint(db: Database, id: string, endpoint: WebhookEndpoint): Buffer {
  return Buffer.from(db.secrets.seal(Buffer.from(JSON.stringify(endpoint)), scopeOf(id)))
}

function scopeOf(id: string): SecretScope {
  return { owner: 'service', id, purpose: 'webhook' }
}

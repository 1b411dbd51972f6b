import type { DeliveryState } from '../../../core/kernel/egress/webhooks/delivery.ts'
import type { Operation } from '../../kernel/operation.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import { openEndpoint, type WebhookSubject } from './set-webhook.ts'

/** The state of the delivery of a hook. */
export interface WebhookStanding {
  readonly state: DeliveryState
  readonly errorCode: string | null
}

const standingOf = prepared((q, subject: WebhookSubject) =>
  q
    .selectFrom('webhook_deliveries')
    .select(['state', 'error_code as errorCode'])
    .where('tenant_id', '=', subject.tenantId)
    .where('subject_id', '=', subject.subjectId)
    .where('kind', '=', subject.kind)
    .limit(1),
)

/** Returns how the hook on a subject stands; null without one. */
export async function findWebhook(
  op: Operation,
  { kind, subjectId }: Pick<WebhookSubject, 'kind' | 'subjectId'>,
): Promise<WebhookStanding | null> {
  const [row] = await op.read(() => standingOf({ tenantId: op.tenantId, kind, subjectId }))
  return row ?? null
}

/**
 * Returns the secret of the hook on a subject, for a call that repeats the one which set it; null without a hook, and once
 * its delivery has ended.
 */
export async function repeatWebhookSecret(
  op: Operation,
  { kind, subjectId }: Pick<WebhookSubject, 'kind' | 'subjectId'>,
): Promise<string | null> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('webhook_deliveries')
      .select(['id', 'sealed_endpoint as sealed'])
      .where('tenant_id', '=', op.tenantId)
      .where('subject_id', '=', subjectId)
      .where('kind', '=', kind)
      .limit(1),
  )
  return row === undefined || row.sealed === null ? null : openEndpoint(op.db, row.id, row.sealed).secret
}

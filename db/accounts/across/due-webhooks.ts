import type { WebhookDelivery } from '../../../core/accounts/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { claimRows } from '../../kernel/outbox/claim-rows.ts'

/** Claims deliveries that have been due for more than a minute. */
export async function claimDueWebhooks(
  db: Database,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly InputOf<typeof WebhookDelivery>[]> {
  return await claimRows(
    db,
    {
      table: 'webhook_deliveries',
      key: 'id',
      due: `state = 'pending' and due_at <= $2 and (look_at is null or look_at <= $1)`,
      lookAt: 'look_at',
      input: 'id as "deliveryId", tenant_id as "tenantId", kind',
    },
    page,
  )
}

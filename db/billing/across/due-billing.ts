import type { Billing } from '../../../core/billing/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { claimRows } from '../../kernel/outbox/claim-rows.ts'

/** Claims tenants with an end of a period or a processor call that is due, as `noteRemaining` recorded it. */
export async function claimDueBilling(
  db: Database,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly InputOf<typeof Billing>[]> {
  return await claimRows(
    db,
    {
      table: 'billing_accounts',
      key: 'tenant_id',
      due: 'look_at <= $1 and $2::timestamptz is not null',
      lookAt: 'look_at',
      input: 'tenant_id as "tenantId"',
    },
    page,
  )
}

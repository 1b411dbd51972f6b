import type { Dunning } from '../../../core/billing/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { claimRows } from '../../kernel/outbox/claim-rows.ts'

/** Claims dunnings with a step that is more than a minute overdue. */
export async function claimDueDunnings(
  db: Database,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly InputOf<typeof Dunning>[]> {
  return await claimRows(
    db,
    {
      table: 'dunnings',
      key: 'id',
      due: 'next_step_at <= $2 and (look_at is null or look_at <= $1)',
      lookAt: 'look_at',
      input: 'id as "dunningId", tenant_id as "tenantId"',
    },
    page,
  )
}

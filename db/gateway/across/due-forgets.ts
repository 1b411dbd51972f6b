import type { Forget } from '../../../core/gateway/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { claimRows } from '../../kernel/outbox/claim-rows.ts'

/** Claims requests to forget that have run for more than a minute. */
export async function claimDueForgets(
  db: Database,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly InputOf<typeof Forget>[]> {
  return await claimRows(
    db,
    {
      table: 'capture_forgets',
      key: 'id',
      due: `state = 'running' and created_at <= $2 and (look_at is null or look_at <= $1)`,
      lookAt: 'look_at',
      input: 'id as "forgetId", tenant_id as "tenantId"',
    },
    page,
  )
}

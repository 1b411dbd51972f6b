import type { InputOf } from '../../../../core/kernel/workflows/define-workflow.ts'
import type { Deletion } from '../../../../core/overview/workflows.ts'
import type { Database } from '../../../kernel/database.ts'
import { claimRows } from '../../../kernel/outbox/claim-rows.ts'

/** Claims deleted tenants whose workflow has not ended their runs and removed their due data. */
export async function claimDueDeletions(
  db: Database,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly InputOf<typeof Deletion>[]> {
  return await claimRows(
    db,
    {
      table: 'tenants',
      key: 'id',
      due: 'deletion_look_at <= $1 and $2::timestamptz is not null',
      lookAt: 'deletion_look_at',
      input: 'id as "tenantId"',
    },
    page,
  )
}

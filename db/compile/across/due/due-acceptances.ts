import type { Accept } from '../../../../core/compile/workflows.ts'
import type { InputOf } from '../../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../../kernel/database.ts'
import { claimRows } from '../../../kernel/outbox/claim-rows.ts'

/** Claims acceptances that have been pending for more than a minute. */
export async function claimDueAcceptances(
  db: Database,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly InputOf<typeof Accept>[]> {
  return await claimRows(
    db,
    {
      table: 'compile_acceptances',
      key: 'job_id',
      due: `state = 'pending' and accepted_at <= $2 and (look_at is null or look_at <= $1)`,
      lookAt: 'look_at',
      input: 'job_id as "jobId", tenant_id as "tenantId"',
    },
    page,
  )
}

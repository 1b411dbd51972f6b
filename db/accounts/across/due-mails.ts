import type { Mail } from '../../../core/accounts/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { claimRows } from '../../kernel/outbox/claim-rows.ts'

/** Claims mails that have been queued for more than a minute. */
export async function claimDueMails(
  db: Database,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly InputOf<typeof Mail>[]> {
  return await claimRows(
    db,
    {
      table: 'mails',
      key: 'id',
      due: `state = 'queued' and created_at <= $2 and (look_at is null or look_at <= $1)`,
      lookAt: 'look_at',
      input: 'id as "mailId", tenant_id as "tenantId"',
    },
    page,
  )
}

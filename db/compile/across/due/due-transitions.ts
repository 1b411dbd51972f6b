import type { Lifecycle } from '../../../../core/compile/workflows.ts'
import type { InputOf } from '../../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../../kernel/database.ts'
import { claimRows } from '../../../kernel/outbox/claim-rows.ts'

/** Claims artifacts with transitions whose effects have been due for more than a minute. */
export async function claimDueTransitions(
  db: Database,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly InputOf<typeof Lifecycle>[]> {
  return await claimRows(
    db,
    {
      table: 'artifact_transitions',
      key: 'artifact_id',
      due: `effects_at is null and at <= $2 and (look_at is null or look_at <= $1)`,
      lookAt: 'look_at',
      input: 'artifact_id as "artifactId", tenant_id as "tenantId"',
    },
    page,
  )
}

import { sql } from 'kysely'
import type { TypedFamily } from '../../../core/kernel/workflows/define-workflow.ts'
import { prepared } from '../queries/compiled.ts'
import type { Transaction } from '../transaction.ts'

/** Time that the requesting process has to reach Temporal before a reconciler does it, milliseconds. */
const GRACE_MS = 3000

/**
 * Requests the start of a workflow in the transaction of its rows. The process starts it right after the commit; the
 * reconciler starts it when that fails. A workflow of a family that is signalled reads its rows again; it may be
 * signalled more than once for one request.
 */
export async function requestStart<Input extends object>(
  tx: Transaction,
  family: TypedFamily<Input>,
  input: Input,
): Promise<void> {
  const { workflowId, tenantId, input: bound } = family.plan(input)
  await tx.flush()
  tx.post(upsertRequest({ workflowId, tenantId, family: family.name, input: JSON.stringify(bound) }))
  tx.announceStart(workflowId)
}

/** A request as it is bound: its input as the text of a document. */
interface BoundRequest {
  readonly workflowId: string
  readonly family: string
  readonly tenantId: string | null
  readonly input: string
}

const upsertRequest = prepared((q, row: BoundRequest) =>
  q
    .insertInto('outbox')
    .values({
      workflow_id: row.workflowId,
      family: row.family,
      tenant_id: row.tenantId,
      input: sql<object>`${row.input}`,
      version: 1,
      attempts: 0,
      created_at: sql<Date>`clock_timestamp()`,
      due_at: sql<Date>`clock_timestamp() + ${sql.lit(GRACE_MS)} * interval '1 millisecond'`,
    })
    .onConflict((on) =>
      on.column('workflow_id').doUpdateSet((of) => ({
        version: of('outbox.version', '+', 1),
        attempts: 0,
        input: of.ref('excluded.input'),
        due_at: of.ref('excluded.due_at'),
      })),
    ),
)

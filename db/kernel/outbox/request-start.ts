import { sql } from 'kysely'
import type { TypedFamily } from '../../../core/kernel/workflows/define-workflow.ts'
import { json } from '../queries/typed.ts'
import type { Transaction } from '../transaction.ts'

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
  const start = family.plan(input)
  await tx.em.flush()
  await tx.q
    .insertInto('outbox')
    .values({
      workflow_id: start.workflowId,
      family: family.name,
      tenant_id: start.tenantId,
      input: json(start.input),
      version: 1,
      attempts: 0,
      created_at: sql<Date>`clock_timestamp()`,
      due_at: sql<Date>`clock_timestamp() + ${GRACE_MS} * interval '1 millisecond'`,
    })
    .onConflict((on) =>
      on.column('workflow_id').doUpdateSet((of) => ({
        version: of('outbox.version', '+', 1),
        attempts: 0,
        input: of.ref('excluded.input'),
        due_at: of.ref('excluded.due_at'),
      })),
    )
    .execute()
  tx.announceStart(start.workflowId)
}

/** Time that the requesting process has to reach Temporal before a reconciler does it, milliseconds. */
const GRACE_MS = 3000

import type { TypedFamily } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Transaction } from '../transaction.ts'

/**
 * Requests the start of a workflow in the transaction of the rows that it works on. The process starts it right after the
 * commit; the reconciler starts it when that fails. A workflow of a family that is woken reads its rows again; it may be
 * woken more than once for one request.
 */
export async function requestStart<Input extends object>(
  tx: Transaction,
  family: TypedFamily<Input>,
  input: Input,
): Promise<void> {
  const start = family.plan(input)
  await tx.em.flush()
  await tx.query(
    `insert into outbox (workflow_id, family, tenant_id, input, version, attempts, created_at, due_at)
     values ($1, $2, $3, $4, 1, 0, clock_timestamp(), clock_timestamp() + $5 * interval '1 millisecond')
     on conflict (workflow_id) do update
     set version = outbox.version + 1, attempts = 0, input = excluded.input, due_at = excluded.due_at`,
    [start.workflowId, family.name, start.tenantId, JSON.stringify(start.input), GRACE_MS],
  )
  tx.announceStart(start.workflowId)
}

/** Time that the requesting process has to reach Temporal before a reconciler does it, milliseconds. */
const GRACE_MS = 3000

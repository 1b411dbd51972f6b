import { DomainError } from '../../../../core/kernel/errors.ts'
import type { Limits } from '../../../../core/kernel/limits.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { inTransaction } from '../../../kernel/transaction.ts'
import { dueBefore, isDue } from './due.ts'
import { REMOVALS, type Removal } from './removals.ts'

/** Rows that one statement removes: far fewer than it could within the database's time for one. */
const BATCH = 5000

/**
 * Removes what a tenant held that is no more: an anonymous workspace whose time is over at once, everything else
 * `deleted_tenant_days` after its end. The facts of each table say what stays, and why. The blobs that nothing names any more
 * are collected by housekeeping. Answers whether the data is gone; false for a tenant that is not due, of which nothing
 * is touched.
 *
 * Safe to repeat and to end between any two statements: `purged_at` is written last. Throws `busy` while work of the
 * tenant is under way.
 */
export async function purgeTenant(
  op: Operation,
  input: { readonly limits: Limits; readonly signal: AbortSignal; readonly onBatch?: () => void },
): Promise<boolean> {
  const { db, tenantId } = op
  const [tenant] = await db.query<{ isPurged: boolean; hasWork: boolean }>(
    `select purged_at is not null as "isPurged",
       exists (select 1 from compile_jobs where tenant_id = t.id and finished_at is null)
         or exists (select 1 from exports where tenant_id = t.id and finished_at is null) as "hasWork"
     from tenants t where id = $1 and ${isDue('$2')}`,
    [tenantId, dueBefore(input.limits, op.now())],
  )
  if (tenant === undefined || tenant.isPurged) {
    await noteNothingDue(op)
    return tenant?.isPurged ?? false
  }
  if (tenant.hasWork) throw new DomainError('busy', 'work of the tenant is still under way')
  await db.query(
    `insert into build_receipts (artifact_id, tenant_id, receipt, created_at)
     select id, tenant_id, receipt, created_at from artifacts where tenant_id = $1 on conflict do nothing`,
    [tenantId],
  )
  let rows = 0
  for (const removal of REMOVALS) rows += await remove(op, removal, input)
  await forget(op, rows)
  return true
}

async function remove(
  op: Operation,
  { table, where }: Removal,
  { signal, onBatch }: { readonly signal: AbortSignal; readonly onBatch?: () => void },
): Promise<number> {
  let rows = 0
  for (let some = BATCH; some === BATCH;) {
    signal.throwIfAborted()
    const removed = await op.db.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${BATCH})) returning 1`,
      [op.tenantId],
    )
    some = removed.length
    onBatch?.()
    rows += some
  }
  return rows
}

/** Until its days are over, housekeeping finds the tenant again from its rows. */
async function noteNothingDue({ db, tenantId }: Operation): Promise<void> {
  await db.query('update tenants set deletion_look_at = null where id = $1 and deletion_look_at is not null', [
    tenantId,
  ])
}

/** The tenant's own row stays, since what is kept names it; nothing in it tells whose it was. */
async function forget(op: Operation, rows: number): Promise<void> {
  await inTransaction(op.db, op.tenantId, async (tx) => {
    const forgotten = await tx.query(
      `update tenants set name = id, email = null, is_email_verified = false, settings = '{}', purged_at = $2,
         deletion_look_at = null
       where id = $1 and purged_at is null returning 1`,
      [op.tenantId, op.now()],
    )
    if (forgotten.length === 0) return
    await recordAudit(tx, op, { action: 'tenant.purged', target: op.tenantId, payload: { rows } })
  })
}

import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Limits } from '../../../../core/overview/limits.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { json } from '../../../kernel/queries/typed.ts'
import { dueBefore, isDue } from './due.ts'
import { REMOVALS, type Removal } from './removals.ts'

/** Rows that one statement removes: far fewer than the statement timeout allows. */
const BATCH = 5000

/**
 * Removes the data of an ended tenant: an anonymous workspace's as soon as it expires, any other's
 * `deleted_tenant_days` after its end. The facts of each table say which rows stay, and why. Housekeeping collects the
 * blobs that are unreferenced then. Returns whether the data is gone; false for a tenant that is not due, which stays
 * untouched.
 * Safe to repeat and to end between any two statements: `purged_at` is written last. Throws `busy` while work of the
 * tenant is under way, and an error with the names of tables whose rows the database does not remove.
 */
export async function purgeTenant(
  op: Operation,
  input: { readonly limits: Limits; readonly signal: AbortSignal; readonly onBatch?: () => void },
): Promise<boolean> {
  const { tenantId } = op
  const [tenant] = await op.read((q) =>
    q
      .selectFrom('tenants as t')
      .select((of) => [
        sql<boolean>`t.purged_at is not null`.as('isPurged'),
        of
          .or([
            of.exists(
              of
                .selectFrom('compile_jobs')
                .select('id')
                .whereRef('tenant_id', '=', 't.id')
                .where('finished_at', 'is', null),
            ),
            of.exists(
              of.selectFrom('exports').select('id').whereRef('tenant_id', '=', 't.id').where('finished_at', 'is', null),
            ),
          ])
          .as('hasWork'),
      ])
      .where('t.id', '=', tenantId)
      .where(isDue(dueBefore(input.limits, op.now()))),
  )
  if (tenant === undefined || tenant.isPurged) {
    await noteNothingDue(op)
    return tenant?.isPurged ?? false
  }
  if (tenant.hasWork) throw KERNEL_ERRORS.busy('the tenant still has work under way')
  await op.write(
    async (tx) =>
      await tx.q
        .insertInto('build_receipts')
        .columns(['artifact_id', 'tenant_id', 'receipt', 'created_at'])
        .expression((of) =>
          of
            .selectFrom('artifacts')
            .select(['id', 'tenant_id', 'receipt', 'created_at'])
            .where('tenant_id', '=', tenantId),
        )
        .onConflict((on) => on.doNothing())
        .execute(),
  )
  let rows = 0
  // Usage of the last calls is written late: again, until nothing is found.
  for (let held = await findHeld(op); held.length > 0; held = await findHeld(op)) {
    input.onBatch?.()
    const before = rows
    for (const removal of held) rows += await remove(op, removal, input)
    if (rows === before) throw new Error(`rows stay in ${held.map(({ table }) => table).join(', ')}`)
  }
  await forget(op, rows)
  return true
}

/** Returns the removals that have rows to remove, in their order. One statement, since most tables hold none of a tenant. */
async function findHeld(op: Operation): Promise<readonly Removal[]> {
  const isHeld = ({ table, where }: Removal) => {
    const parts = where.split('$1').map((part) => sql.raw(part))
    return sql<boolean>`exists (select 1 from ${sql.table(table)} where ${sql.join(parts, sql.val(op.tenantId))})`
  }
  const [held] = await op.read((q) => q.selectNoFrom(REMOVALS.map((removal, i) => isHeld(removal).as(`at_${i}`))))
  return REMOVALS.filter((_, i) => held?.[`at_${i}`] === true)
}

async function remove(
  op: Operation,
  { table, where }: Removal,
  { signal, onBatch }: { readonly signal: AbortSignal; readonly onBatch?: () => void },
): Promise<number> {
  let rows = 0
  for (let some = BATCH; some === BATCH;) {
    signal.throwIfAborted()
    // The condition again: partitions of one table have rows at the same places.
    const statement = `delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${BATCH})) and ${where} returning 1`
    const removed = await op.write(async (tx) => await tx.query(statement, [op.tenantId]))
    some = removed.length
    onBatch?.()
    rows += some
  }
  return rows
}

/** Until the grace period is over, housekeeping finds the tenant again from its rows. */
async function noteNothingDue(op: Operation): Promise<void> {
  await op.write(
    async (tx) =>
      await tx.q
        .updateTable('tenants')
        .set({ deletion_look_at: null })
        .where('id', '=', op.tenantId)
        .where('deletion_look_at', 'is not', null)
        .execute(),
  )
}

/** Keeps the tenant's own row, since kept rows name it; it no longer identifies its owner. */
async function forget(op: Operation, rows: number): Promise<void> {
  await op.write(async (tx) => {
    const { numUpdatedRows } = await tx.q
      .updateTable('tenants')
      .set({
        name: sql<string>`id`,
        email: null,
        is_email_verified: false,
        settings: json({}),
        purged_at: op.now(),
        deletion_look_at: null,
      })
      .where('id', '=', op.tenantId)
      .where('purged_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    await recordAudit(tx, op, { action: 'tenant.purged', target: op.tenantId, payload: { rows } })
  })
}

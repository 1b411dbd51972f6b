import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { countRows } from '../../kernel/queries/count-rows.ts'
import { notify } from '../../kernel/queries/typed.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { endAccess } from '../../accounts/tenants/end-access.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { TABLES } from '../../schema.ts'

/** A table whose rows move, and the statement that moves those of the workspace `$1` to the tenant `$2`. */
interface Move {
  readonly table: string
  readonly statement: string
}

/** The rows that move, by the facts of the tables. */
const MOVES: readonly Move[] = TABLES.flatMap(({ tableName: table, facts }) => {
  const merge = 'merge' in facts ? facts.merge : undefined
  if (merge === undefined || (typeof merge === 'object' && 'stays' in merge)) return []
  const statement = merge === 'moves' ? `update ${table} set tenant_id = $2 where tenant_id = $1` : merge.moves
  return [{ table, statement }]
})

/**
 * Moves everything that an anonymous workspace made to the operation's tenant, in the caller's transaction, in which
 * the workspace is locked already. The workspace ends: its token and sessions stop on every process at once. Throws
 * `jobs_running` while the workspace has running work, and `invalid_credential` when the other tenant is deleted.
 */
export async function mergeTenant(
  tx: ServiceTransaction,
  op: Operation,
  input: { readonly sourceTenantId: string },
): Promise<void> {
  const source = input.sourceTenantId
  await requireLiveTenant(tx, op.tenantId)
  await refuseUnfinished(tx, source)
  // Notified before the move, so that every process drops what it cached under the names.
  await tx.q
    .selectFrom('concepts')
    .select((of) => notify('svc_concepts', of.ref('id')).as('notified'))
    .where('tenant_id', '=', source)
    .execute()
  const counts: Record<string, number> = {}
  for (const { table, statement } of MOVES) {
    const moved = await tx.query(`${statement} returning 1`, [source, op.tenantId])
    if (moved.length > 0) counts[table] = moved.length
  }
  const now = op.now()
  await tx.q
    .updateTable('tenants')
    .set({ claimed_into: op.tenantId, deleted_at: now, expires_at: null })
    .where('id', '=', source)
    .execute()
  await service.forTenant(tx, source, async () => {
    await endAccess(tx, source, now)
    const to = { ...op, tenantId: source }
    await recordAudit(tx, to, { action: 'tenant.merged', target: op.tenantId, payload: { into: op.tenantId } })
  })
  await service.forTenant(tx, op.tenantId, async () => {
    await tx.q.updateTable('tenant_storage').set({ counted_at: null }).where('tenant_id', '=', op.tenantId).execute()
    await recordAudit(tx, op, { action: 'tenant.merged', target: source, payload: { from: source, moved: counts } })
  })
}

async function refuseUnfinished(tx: Transaction, tenantId: string): Promise<void> {
  const [row] = await tx.read((q) =>
    q.selectNoFrom([
      countRows(q.selectFrom('compile_jobs').where('tenant_id', '=', tenantId).where('finished_at', 'is', null)).as(
        'compiles',
      ),
      countRows(
        q.selectFrom('compile_acceptances').where('tenant_id', '=', tenantId).where('state', '=', 'pending'),
      ).as('acceptances'),
      countRows(q.selectFrom('exports').where('tenant_id', '=', tenantId).where('finished_at', 'is', null)).as(
        'exports',
      ),
    ]),
  )
  const jobs = row === undefined ? 0 : row.compiles + row.acceptances + row.exports
  if (jobs === 0) return
  throw ACCOUNTS_ERRORS.jobs_running(`${jobs} jobs of the workspace are not finished; wait for them or cancel them`, {
    details: { jobs },
  })
}

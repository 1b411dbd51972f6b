import type { Allowance } from '../../../core/gateway/captures/copyright/allowlist.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireAllNamespaces } from '../../kernel/namespaces/bounds.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** Reads the licensed texts and names of a tenant. */
export async function readAllowances(reader: Reader, tenantId: string): Promise<readonly Allowance[]> {
  const [row] = await reader.read((q) =>
    q.selectFrom('copyright_allowlists').select('entries').where('tenant_id', '=', tenantId),
  )
  return row?.entries ?? []
}

/**
 * Replaces the licensed texts and names of the tenant. Captures that were scanned before keep their flags until they are
 * scanned again. The ledger has the number of entries, without their texts. Throws `insufficient_scope`.
 */
export async function putAllowances(op: Operation, entries: readonly Allowance[]): Promise<void> {
  requireScope(op, 'privacy:write')
  requireAllNamespaces(op)
  await op.write(async (tx) => {
    const row = { entries: json(entries), updated_at: op.now() }
    await tx.q
      .insertInto('copyright_allowlists')
      .values({ tenant_id: op.tenantId, ...row })
      .onConflict((on) => on.column('tenant_id').doUpdateSet(row))
      .execute()
    await recordAudit(tx, op, {
      action: 'copyright.allowlist_changed',
      target: op.tenantId,
      payload: { entries: entries.length },
    })
  })
}

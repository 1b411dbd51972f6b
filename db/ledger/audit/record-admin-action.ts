import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { recordAudit } from './record-audit.ts'

/**
 * Records an operator's action in the operator's ledger, before it happens: an action that cannot be recorded does not
 * happen. The line holds the query, never bodies; changes have their own lines.
 */
export async function recordAdminAction(
  op: Operation,
  input: { readonly route: string; readonly params: Readonly<Record<string, string>>; readonly query: JsonObject },
): Promise<void> {
  await op.write(async (tx) => {
    const { route, params, query } = input
    await recordAudit(tx, op, { action: 'admin.action', payload: { route, params: { ...params }, query } })
  })
}

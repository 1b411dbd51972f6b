import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { recordAudit } from './record-audit.ts'

/**
 * Writes an act of one who runs the service into the operator's ledger, before it is done: what is not written is not
 * done either. What was looked for stands in it; bodies do not, and what they change has a line of its own.
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

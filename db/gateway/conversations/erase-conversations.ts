import { sql } from 'kysely'
import type { TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { holdsTerm } from '../forgotten/holds-term.ts'
import { enterConversations } from './enter-conversations.ts'

/**
 * Deletes a conversation: its texts are erased, and a row stays for a while from which other devices learn of it. Deleting it
 * again changes nothing. With a line in the audit ledger. Throws `not_found` and `insufficient_scope`.
 */
export async function deleteConversation(op: Operation, id: string): Promise<void> {
  requireScope(op, 'conversations:write')
  await op.write(async (tx) => {
    const at = await enterConversations(tx, op)
    const stored = await tx.q
      .selectFrom('conversations')
      .select('deleted_at as deletedAt')
      .where('tenant_id', '=', op.tenantId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (stored === undefined) throw KERNEL_ERRORS.not_found('no such conversation')
    if (stored.deletedAt !== null) return
    await erase(tx, op, { ids: [id], at })
    await recordAudit(tx, op, { action: 'conversation.deleted', target: id, payload: { count: 1 } })
  })
}

/** Deleted conversations of a tenant whose ids stay: those that were deleted last. */
const MOST_DELETED = 1000
/** Conversations that are read at once: each holds up to a megabyte. */
const BATCH = 20

/**
 * Erases the tenant's conversations that hold what is to be forgotten, in their messages, titles or names of devices and
 * models. `onBatch` is given how many, batch by batch. Safe to repeat. With lines in the audit ledger.
 */
export async function forgetConversations(
  op: Operation,
  finder: TermFinder,
  onBatch: (count: number) => Promise<void>,
): Promise<void> {
  requireScope(op, 'privacy:write')
  let reached = ''
  for (;;) {
    const after = reached
    const { last, count } = await op.write(async (tx) => await forgetBatch(tx, op, { after, finder }))
    await onBatch(count)
    if (last === null) return
    reached = last
  }
}

async function forgetBatch(
  tx: Transaction,
  op: Operation,
  { after, finder }: { readonly after: string; readonly finder: TermFinder },
): Promise<{ readonly last: string | null; readonly count: number }> {
  // The lock of those who save: they read the forget list behind it, so what comes later does not hold the text.
  const at = await enterConversations(tx, op)
  const rows = await tx.q
    .selectFrom('conversations')
    .select(['id', 'title', 'model', 'device', 'preview', 'messages'])
    .where('tenant_id', '=', op.tenantId)
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute()
  const ids = rows
    .filter(({ title, model, device, preview, messages }) => {
      const contents = (messages ?? []).map(({ content }) => content)
      return holdsTerm([title, model, device, preview, contents], finder)
    })
    .map(({ id }) => id)
  if (ids.length > 0) {
    await erase(tx, op, { ids, at })
    await recordAudit(tx, op, { action: 'conversation.forgotten', payload: { count: ids.length, ids } })
  }
  return { last: rows.at(-1)?.id ?? null, count: ids.length }
}

async function erase(
  tx: Transaction,
  { tenantId }: Operation,
  { ids, at }: { readonly ids: readonly string[]; readonly at: Date },
): Promise<void> {
  await tx.q
    .updateTable('conversations')
    .set({
      title: '',
      model: '',
      device: null,
      messages: null,
      message_count: 0,
      size_bytes: 0,
      preview: '',
      updated_at: at,
      client_updated_at: sql<Date>`greatest(client_updated_at, ${at}::timestamptz)`,
      deleted_at: at,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
  const deleted = tx.q
    .selectFrom('conversations')
    .select(['tenant_id', 'id'])
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is not', null)
  await tx.q
    .deleteFrom('conversations as c')
    .using(deleted.orderBy('deleted_at', 'desc').orderBy('id', 'desc').offset(MOST_DELETED).as('old'))
    .whereRef('c.tenant_id', '=', 'old.tenant_id')
    .whereRef('c.id', '=', 'old.id')
    .where('c.tenant_id', '=', tenantId)
    .execute()
}

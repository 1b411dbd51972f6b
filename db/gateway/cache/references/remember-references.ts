import type { Insertable } from 'kysely'
import type { Limits } from '../../../../core/gateway/limits.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { Tables } from '../../../schema.ts'
import { hasForgottenSince, isForgotten } from '../../forgotten/is-forgotten.ts'
import { lockConversation } from './lock-conversation.ts'

/** Parts of a tenant's room; after as much was remembered, on average, the oldest references are looked for. */
const PARTS = 64
/** One conversation takes at most this part of the room: dropping it whole leaves most of the others. */
const SHARES = 4
/** Bytes that a row counts beside what is sealed: a round figure for its columns and its entries in the indexes. */
export const ROW_BYTES = 400
const DAY_MS = 24 * 60 * 60 * 1000

/** A reference to remember; see `ResponseReferenceEntity`. */
export interface NewReference {
  readonly key: Buffer
  readonly responseKey: Buffer | null
  readonly parentKey: Buffer | null
  readonly provider: string | null
  readonly content: Uint8Array | null
}

/** The references of one answer. */
export interface RememberedAnswer {
  readonly namespace: string
  readonly captureId: string
  /** When its call began. */
  readonly begunAt: Date
  /** True for a call that names earlier answers: it may hold what was forgotten of their captures since. */
  readonly isByIds: boolean
  /** The response first. */
  readonly references: readonly NewReference[]
  readonly now: Date
  readonly limits: Pick<Limits, 'gateway_reference_days' | 'gateway_references_bytes_per_tenant'>
}

/**
 * The outcome of remembering: nothing is stored of what was forgotten, see `rememberReferences`, where the response before is gone by
 * now, and where its conversation takes too much of the tenant's room.
 */
export type Outcome = 'stored' | 'nothing' | 'parent_gone' | 'conversation_full'

/** The outcome for an answer. */
export interface Remembered {
  readonly outcome: Outcome
  /** True where it is time for `trimReferences`: about once for every part of the room. */
  readonly isTrimDue: boolean
}

/**
 * Remembers what a tenant received. Nothing is sealed of an answer whose capture was forgotten, whose call began before the tenant
 * forgot a text, or which continues others and began before it forgot captures: of one that a provider keeps there are hashes of
 * the ids alone, and of one that would be kept here there is nothing.
 */
export async function rememberReferences(tenant: TenantAccess, answer: RememberedAnswer): Promise<Remembered> {
  const { namespace, captureId, begunAt, isByIds, references, now, limits } = answer
  const { tenantId } = tenant
  const [first] = references
  if (first === undefined) return { outcome: 'nothing', isTrimDue: false }
  const room = limits.gateway_references_bytes_per_tenant
  const expiresAt = new Date(now.getTime() + limits.gateway_reference_days * DAY_MS)
  const rows = references.map(({ key, responseKey, provider, content }): NewRow => ({
    tenant_id: tenantId,
    key,
    namespace,
    response_key: responseKey,
    root_key: null,
    parent_key: null,
    turns: 1,
    is_deleted: false,
    provider,
    content,
    size_bytes: ROW_BYTES + (content?.length ?? 0),
    bytes_before: 0,
    later_bytes: 0,
    created_at: now,
    expires_at: expiresAt,
  }))
  const outcome = await tenant.write(async (tx) => {
    const isLate =
      (await isForgotten(tx, { tenantId, captureId, begunAt })) ||
      (isByIds && (await hasForgottenSince(tx, { tenantId, begunAt })))
    const stored = isLate
      ? rows.flatMap((row) => (row.provider === null ? [] : [withoutContent(row)]))
      : first.parentKey === null
        ? rows
        : await afterParent(tx, rows, { tenantId, namespace, key: first.parentKey, expiresAt, most: room / SHARES })
    if (typeof stored === 'string') return stored
    if (stored.length === 0) return 'nothing'
    // Ids do not repeat; where a provider repeats one, it stays with the first namespace.
    await tx.q
      .insertInto('response_references')
      .values(stored)
      .onConflict((on) => on.doNothing())
      .execute()
    return 'stored'
  })
  // A key is as good as a random number, and no process has to remember how much it wrote.
  const chance = (bytesOf(rows) * PARTS) / room
  return { outcome, isTrimDue: outcome === 'stored' && first.key.readUInt32BE(0) / 2 ** 32 < chance }
}

type NewRow = Insertable<Tables['response_references']>

function bytesOf(rows: readonly NewRow[]): number {
  return rows.reduce((sum, row) => sum + row.size_bytes, 0)
}

function withoutContent(row: NewRow): NewRow {
  return { ...row, content: null, size_bytes: ROW_BYTES }
}

/** The response that an answer goes on from. */
interface Parent {
  readonly tenantId: string
  readonly namespace: string
  readonly key: Buffer
  /** Until when the answer is kept, and with it the conversation. */
  readonly expiresAt: Date
  /** Most bytes of the conversation with all its branches. */
  readonly most: number
}

/** Returns rows as turns after their parent, whose conversation is kept as long from now on; or the reason why there can be none. */
async function afterParent(
  tx: Transaction,
  rows: readonly NewRow[],
  { tenantId, namespace, key, expiresAt, most }: Parent,
): Promise<readonly NewRow[] | Exclude<Outcome, 'stored' | 'nothing'>> {
  const root = await lockConversation(tx, { tenantId, key })
  const [parent] = await tx.q
    .selectFrom('response_references')
    .select(['turns', 'bytes_before', 'size_bytes'])
    .where('tenant_id', '=', tenantId)
    .where('key', '=', key)
    .where('namespace', '=', namespace)
    .where('is_deleted', '=', false)
    .execute()
  if (root === null || parent === undefined) return 'parent_gone'
  const bytes = bytesOf(rows)
  if (root.bytes + bytes > most) return 'conversation_full'
  await tx.q
    .updateTable('response_references')
    .set((of) => ({
      later_bytes: of('later_bytes', '+', bytes),
      expires_at: of.fn<Date>('greatest', ['expires_at', of.val(expiresAt)]),
    }))
    .where('tenant_id', '=', tenantId)
    .where('key', '=', root.key)
    .execute()
  return rows.map((row) => ({
    ...row,
    root_key: root.key,
    parent_key: key,
    turns: parent.turns + 1,
    bytes_before: parent.bytes_before + parent.size_bytes,
    expires_at: null,
  }))
}

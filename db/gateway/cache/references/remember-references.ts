import type { Limits } from '../../../../core/gateway/limits.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { hasForgottenSince, isForgotten } from '../../forgotten/is-forgotten.ts'

/** Parts of a tenant's room; after as much was remembered, on average, the oldest references are looked for. */
const PARTS = 64
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

/** The outcome of remembering. */
export interface Remembered {
  /** False where nothing is stored: see `rememberReferences`. */
  readonly isStored: boolean
  /** True where it is time for `trimReferences`: about once for every part of the room. */
  readonly isTrimDue: boolean
}

/**
 * Remembers what a tenant received. Nothing is sealed of an answer whose capture was forgotten, whose call began before the tenant
 * forgot a text, or which continues others and began before it forgot captures: of one that a provider keeps there are hashes of
 * the ids alone, and of one that would be kept here there is nothing, as where the response before it is gone by now.
 */
export async function rememberReferences(tenant: TenantAccess, answer: RememberedAnswer): Promise<Remembered> {
  const { namespace, captureId, begunAt, isByIds, references, now, limits } = answer
  const { tenantId } = tenant
  const [first] = references
  if (first === undefined) return { isStored: false, isTrimDue: false }
  const expiresAt = new Date(now.getTime() + limits.gateway_reference_days * DAY_MS)
  const rows = references.map(({ key, responseKey, parentKey, provider, content }) => {
    const sizeBytes = ROW_BYTES + (content?.length ?? 0)
    return {
      tenant_id: tenantId,
      key,
      namespace,
      response_key: responseKey,
      parent_key: parentKey,
      turns: 1,
      is_deleted: false,
      provider,
      content,
      size_bytes: sizeBytes,
      conversation_bytes: sizeBytes,
      created_at: now,
      expires_at: expiresAt,
    }
  })
  const isStored = await tenant.write(async (tx) => {
    const isLate =
      (await isForgotten(tx, { tenantId, captureId, begunAt })) ||
      (isByIds && (await hasForgottenSince(tx, { tenantId, begunAt })))
    const stored = isLate
      ? rows.flatMap((row) => (row.provider === null ? [] : [withoutContent(row)]))
      : first.parentKey === null
        ? rows
        : await afterParent(tx, rows, { tenantId, namespace, key: first.parentKey, expiresAt })
    if (stored.length === 0) return false
    // Ids do not repeat; where a provider repeats one, it stays with the first namespace.
    await tx.q
      .insertInto('response_references')
      .values(stored)
      .onConflict((on) => on.doNothing())
      .execute()
    return true
  })
  const bytes = rows.reduce((sum, row) => sum + row.size_bytes, 0)
  // A key is as good as a random number, and no process has to remember how much it wrote.
  const chance = (bytes * PARTS) / limits.gateway_references_bytes_per_tenant
  return { isStored, isTrimDue: isStored && first.key.readUInt32BE(0) / 2 ** 32 < chance }
}

function withoutContent<R extends object>(row: R) {
  return { ...row, content: null, size_bytes: ROW_BYTES, conversation_bytes: ROW_BYTES }
}

/** The response that an answer goes on from. */
interface Parent {
  readonly tenantId: string
  readonly namespace: string
  readonly key: Buffer
  /** Until when the answer is kept. */
  readonly expiresAt: Date
}

/** Returns a row as a turn after its parent, which is kept as long; none where the parent is gone. */
async function afterParent<R extends { readonly size_bytes: number }>(
  tx: Transaction,
  rows: readonly R[],
  parent: Parent,
): Promise<readonly R[]> {
  const { tenantId, namespace, key, expiresAt } = parent
  // Held until this turn can be seen, so that its parent is not dropped as the last one meanwhile.
  const [held] = await tx.q
    .selectFrom('response_references')
    .select(['turns', 'conversation_bytes', 'expires_at'])
    .where('tenant_id', '=', tenantId)
    .where('key', '=', key)
    .where('namespace', '=', namespace)
    .where('is_deleted', '=', false)
    .forNoKeyUpdate()
    .execute()
  if (held === undefined) return []
  if (held.expires_at < expiresAt) await extendTurns(tx, parent)
  return rows.map((row) => ({
    ...row,
    turns: held.turns + 1,
    conversation_bytes: held.conversation_bytes + row.size_bytes,
  }))
}

/**
 * Keeps a turn and those before it for a day longer than a later one: a conversation that goes on all the time is extended once a
 * day, and none of its turns goes before a later one.
 */
async function extendTurns(tx: Transaction, { tenantId, key, expiresAt }: Parent): Promise<void> {
  const until = new Date(expiresAt.getTime() + DAY_MS)
  await tx.q
    .withRecursive('turn(key, parent_key)', (within) =>
      within
        .selectFrom('response_references as last')
        .select(['last.key', 'last.parent_key'])
        .where('last.tenant_id', '=', tenantId)
        .where('last.key', '=', key)
        .union(
          within
            .selectFrom('turn')
            .innerJoin('response_references as earlier', 'earlier.key', 'turn.parent_key')
            .select(['earlier.key', 'earlier.parent_key'])
            .where('earlier.tenant_id', '=', tenantId)
            .where('earlier.expires_at', '<', until),
        ),
    )
    .updateTable('response_references')
    .set({ expires_at: until })
    .where('tenant_id', '=', tenantId)
    .where('key', 'in', (of) => of.selectFrom('turn').select('turn.key'))
    .execute()
}

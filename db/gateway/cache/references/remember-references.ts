import type { Limits } from '../../../../core/gateway/limits.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import { hasForgottenSince, isForgotten } from '../../forgotten/is-forgotten.ts'

/** Parts of a tenant's room; after as much was remembered, on average, the oldest references are looked for. */
const PARTS = 64
/** Bytes that a row counts beside what is sealed: a round figure for its columns and its entries in the indexes. */
const ROW_BYTES = 400
const DAY_MS = 24 * 60 * 60 * 1000

/** A reference to remember; see `ResponseReferenceEntity`. */
export interface NewReference {
  readonly key: Buffer
  readonly responseKey: Buffer | null
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
 * the ids alone, and of one that would be kept here there is nothing.
 */
export async function rememberReferences(tenant: TenantAccess, answer: RememberedAnswer): Promise<Remembered> {
  const { namespace, captureId, begunAt, isByIds, references, now, limits } = answer
  const { tenantId } = tenant
  const [first] = references
  if (first === undefined) return { isStored: false, isTrimDue: false }
  const rows = references.map(({ key, responseKey, provider, content }) => ({
    tenant_id: tenantId,
    key,
    namespace,
    response_key: responseKey,
    provider,
    content,
    size_bytes: ROW_BYTES + (content?.length ?? 0),
    created_at: now,
    expires_at: new Date(now.getTime() + limits.gateway_reference_days * DAY_MS),
  }))
  const isStored = await tenant.write(async (tx) => {
    const isLate =
      (await isForgotten(tx, { tenantId, captureId, begunAt })) ||
      (isByIds && (await hasForgottenSince(tx, { tenantId, begunAt })))
    const stored = isLate
      ? rows.flatMap((row) => (row.provider === null ? [] : [{ ...row, content: null, size_bytes: ROW_BYTES }]))
      : rows
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

/** Drops the oldest references of a tenant, in whole answers, until the others take at most `mostBytes`. */
export async function trimReferences(tenant: TenantAccess, mostBytes: number): Promise<void> {
  const { tenantId } = tenant
  await tenant.write(async (tx) => {
    await tx.q
      .deleteFrom('response_references')
      .where('tenant_id', '=', tenantId)
      .where('created_at', '<=', (of) =>
        of
          .selectFrom((inner) =>
            inner
              .selectFrom('response_references as newer')
              .select((row) => [
                'newer.created_at',
                row.fn
                  .sum<number>('newer.size_bytes')
                  .over((by) => by.orderBy('newer.created_at', 'desc').orderBy('newer.key'))
                  .as('bytes'),
              ])
              .where('newer.tenant_id', '=', tenantId)
              .as('sums'),
          )
          .select((sums) => sums.fn.max('sums.created_at').as('newest'))
          .where('sums.bytes', '>', mostBytes),
      )
      .execute()
  })
}

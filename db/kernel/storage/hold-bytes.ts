import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { service, type ServiceTransaction } from '../queries/service.ts'
import { countHeldBytes } from './count-held.ts'

const WHY = 'a process holds room for calls of many tenants'
/** Least age of a count of the rows that is made again because something does not fit. */
const RECOUNT_AT_LIMIT_MS = 5000

/** The share of a tenant's allowance that one process holds. */
interface HeldShare {
  readonly tenantId: string
  /** Names the share: a UUID. */
  readonly holdId: string
  /** Bytes that are held whatever the allowance is. */
  readonly heldBytes: number
  /** Bytes of each further thing to hold, in the order in which they came. */
  readonly asked: readonly number[]
  /** Bytes that are to be stored and that no count holds yet. */
  readonly besideBytes: number
  /** Bytes that are stored in rows, and that a locked count missed: the count gets them. */
  readonly missedBytes: number
  /** True to count the rows again, whatever the age of their last count. */
  readonly isRecounted: boolean
  readonly limitBytes: number
}

/** The outcome of a change of a share. */
interface HeldBytes {
  /** Of each thing that was asked for: whether it is held now. */
  readonly fits: readonly boolean[]
  /** The tenant's count with the share. */
  readonly usedBytes: number
}

/**
 * Sets the bytes that a process holds of a tenant's allowance: those that it holds already and, of what is asked for, what
 * fits. The tenant's count is locked meanwhile, so the shares of all processes never exceed the allowance together. States
 * the whole share. Missed bytes are added each time, so a repetition may count them twice, until the rows are counted again. A
 * share that is not stated for 15 minutes is collected with stale uploads.
 */
export async function holdBytes(db: Database, share: HeldShare, now: Date): Promise<HeldBytes> {
  const { tenantId, holdId, heldBytes, asked, besideBytes, missedBytes, limitBytes } = share
  return await service.write(db, WHY, async (tx) => {
    const count = await lockCount(tx, tenantId)
    // The data of a deleted tenant is not stored, see `commitCaptures`.
    if (count === undefined) return { fits: asked.map(() => true), usedBytes: 0 }
    const before = await tx.q
      .deleteFrom('blob_uploads')
      .where('storage_id', '=', holdId)
      .returning('reserved_bytes as reservedBytes')
      .executeTakeFirst()
    const chooseBeside = (otherBytes: number) => choose(asked, limitBytes - otherBytes - heldBytes - besideBytes)
    let otherBytes = Math.max(0, count.usedBytes - (before?.reservedBytes ?? 0)) + missedBytes
    let { countedAt } = count
    let chosen = chooseBeside(otherBytes)
    const ageMs = countedAt === null ? Number.POSITIVE_INFINITY : now.getTime() - countedAt.getTime()
    if (share.isRecounted || (chosen.fits.includes(false) && ageMs >= RECOUNT_AT_LIMIT_MS)) {
      // Finds the rows of missed bytes too.
      otherBytes = await countHeldBytes(tx, tenantId)
      countedAt = now
      chosen = chooseBeside(otherBytes)
    }
    const reservedBytes = heldBytes + chosen.bytes
    const usedBytes = otherBytes + reservedBytes
    tx.post(
      tx.q
        .updateTable('tenant_storage')
        .set({ used_bytes: usedBytes, counted_at: countedAt })
        .where('tenant_id', '=', tenantId),
    )
    if (reservedBytes > 0) {
      tx.post(
        tx.q.insertInto('blob_uploads').values({
          storage_id: holdId,
          touched_at: sql<Date>`now()`,
          tenant_id: tenantId,
          reserved_bytes: reservedBytes,
        }),
      )
    }
    return { fits: chosen.fits, usedBytes }
  })
}

/** Returns which sizes fit into the room one after another, and their sum. */
function choose(asked: readonly number[], roomBytes: number): { readonly fits: boolean[]; readonly bytes: number } {
  let bytes = 0
  const fits = asked.map((size) => {
    const isIn = bytes + size <= roomBytes
    if (isIn) bytes += size
    return isIn
  })
  return { fits, bytes }
}

/** Locks the count of a tenant, which is made where it is missing; undefined for a purged tenant. */
async function lockCount(tx: ServiceTransaction, tenantId: string) {
  openCount(tx, tenantId)
  return await tx.q
    .selectFrom('tenant_storage')
    .select(['used_bytes as usedBytes', 'counted_at as countedAt'])
    .where('tenant_id', '=', tenantId)
    .forUpdate()
    .executeTakeFirst()
}

/** Makes the count of a tenant that was not purged, where it has none. */
function openCount(tx: ServiceTransaction, tenantId: string): void {
  tx.post(
    tx.q
      .insertInto('tenant_storage')
      .columns(['tenant_id', 'used_bytes', 'counted_at'])
      .expression((q) =>
        q
          .selectFrom('tenants')
          .select((of) => ['id', of.lit(0).as('used_bytes'), sql<Date | null>`null::timestamptz`.as('counted_at')])
          .where('id', '=', tenantId)
          .where('purged_at', 'is', null),
      )
      .onConflict((on) => on.doNothing()),
  )
}

import { sql } from 'kysely'
import { KERNEL_ERRORS, type DomainError } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { storedBytesOf } from '../../../core/kernel/tenant/stored-bytes.ts'
import type { Operation } from '../operation.ts'
import { prepared } from '../queries/compiled.ts'
import type { Reads } from '../queries/typed.ts'
import { inAllNamespaces, type Transaction } from '../transaction.ts'
import { countHeldBytes } from './count-held.ts'

/** Lifetime of a count of the rows: bytes that the service itself stored since then are missing from it. */
const RECOUNT_MS = 3_600_000
/** Interval between recounts for a tenant at its limit, instead of one with each call. */
const RECOUNT_AT_LIMIT_MS = 5000

/** A tenant's remaining storage, in bytes. */
export interface Allowance {
  readonly limitBytes: number
  readonly usedBytes: number
}

/**
 * Throws `storage_allowance_used` when the tenant has used its storage allowance, before the body of a storing call is
 * read. Returns the tenant's storage, recounted when `expectedBytes` would not fit.
 */
export async function requireAllowance(op: Operation, limits: Limits, expectedBytes = 1): Promise<Allowance> {
  const [known] = await op.read(() => storageOf({ tenantId: op.tenantId }))
  const counted = known === undefined ? null : allowanceOf(op, limits, known, expectedBytes)
  // A count that is not due is not changed by this check, so its row is not locked.
  const allowance =
    counted?.isDue === false ? counted : await op.write(async (tx) => await count(tx, op, limits, expectedBytes))
  if (allowance.usedBytes >= allowance.limitBytes) throw allowanceUsed(allowance, 1)
  return { limitBytes: allowance.limitBytes, usedBytes: allowance.usedBytes }
}

/** Returns the tenant's storage. Does not throw for a tenant at its limit. */
export async function readAllowance(op: Operation, limits: Limits): Promise<Allowance> {
  return await op.write(async (tx) => await count(tx, op, limits, 0))
}

/**
 * Takes bytes from the tenant's allowance for an upload, whose row holds them until it is published or discarded. Locks
 * the row of the tenant, so that concurrent uploads never exceed the limit together. `besideBytes` are to be stored too and
 * no count holds them yet. Throws `storage_allowance_used`; then no bytes are taken.
 */
export async function reserveBytes(
  tx: Transaction,
  op: Operation,
  {
    storageId,
    bytes,
    limits,
    besideBytes = 0,
  }: {
    readonly storageId: string
    readonly bytes: number
    readonly limits: Limits
    readonly besideBytes?: number
  },
): Promise<void> {
  const allowance = await count(tx, op, limits, bytes + besideBytes)
  if (allowance.usedBytes + besideBytes + bytes > allowance.limitBytes) throw allowanceUsed(allowance, bytes)
  const { tenantId } = op
  tx.post(takeBytes({ tenantId, bytes }))
  tx.post(insertUpload({ tenantId, bytes, storageId }))
}

/** Reads the tenant's count with what its limit follows from. */
function countedStorage(q: Reads, tenantId: string) {
  return q
    .selectFrom('tenant_storage as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .select(['s.used_bytes as usedBytes', 's.counted_at as countedAt', 't.plan'])
    .select(sql<boolean>`t.kind = 'anonymous'`.as('isAnonymous'))
    .where('s.tenant_id', '=', tenantId)
}

const storageOf = prepared((q, { tenantId }: { readonly tenantId: string }) => countedStorage(q, tenantId))

const lockStorage = prepared((q, { tenantId }: { readonly tenantId: string }) =>
  countedStorage(q, tenantId).forUpdate('s'),
)

const openStorage = prepared((q, { tenantId }: { readonly tenantId: string }) =>
  q
    .insertInto('tenant_storage')
    .values({ tenant_id: tenantId, used_bytes: 0, counted_at: null })
    .onConflict((on) => on.doNothing()),
)

const takeBytes = prepared((q, row: { readonly tenantId: string; readonly bytes: number }) =>
  q
    .updateTable('tenant_storage')
    .set({ used_bytes: sql<number>`used_bytes + ${row.bytes}::bigint` })
    .where('tenant_id', '=', row.tenantId),
)

const insertUpload = prepared(
  (q, row: { readonly tenantId: string; readonly storageId: string; readonly bytes: number }) =>
    q.insertInto('blob_uploads').values({
      storage_id: row.storageId,
      touched_at: sql<Date>`now()`,
      tenant_id: row.tenantId,
      reserved_bytes: row.bytes,
    }),
)

type CountedStorage = Parameters<typeof storedBytesOf>[0] & {
  readonly usedBytes: number
  readonly countedAt: Date | null
}

/** Returns the storage by a count; `isDue` when the rows are to be counted again: sooner when `bytes` would not fit. */
function allowanceOf(
  op: Operation,
  limits: Limits,
  row: CountedStorage,
  bytes: number,
): Allowance & { readonly isDue: boolean } {
  const { usedBytes, countedAt } = row
  const limitBytes = storedBytesOf(row, limits)
  const isFull = usedBytes + bytes > limitBytes
  const ageMs = countedAt === null ? Number.POSITIVE_INFINITY : op.now().getTime() - countedAt.getTime()
  return { limitBytes, usedBytes, isDue: ageMs >= (isFull ? RECOUNT_AT_LIMIT_MS : RECOUNT_MS) }
}

/** Locks the tenant's count, and recounts when that is due: sooner when `bytes` would not fit. */
async function count(tx: Transaction, op: Operation, limits: Limits, bytes: number): Promise<Allowance> {
  const { tenantId } = op
  tx.post(openStorage({ tenantId }))
  const [row] = await tx.send(lockStorage({ tenantId }))
  if (row === undefined) throw KERNEL_ERRORS.invalid_credential('this account was deleted')
  const { limitBytes, isDue, ...counted } = allowanceOf(op, limits, row, bytes)
  let { usedBytes } = counted
  if (isDue) {
    usedBytes = await inAllNamespaces(
      tx,
      'the allowance is of the whole tenant',
      async () => await countHeldBytes(tx, tenantId),
    )
    await tx.q
      .updateTable('tenant_storage')
      .set({ used_bytes: usedBytes, counted_at: op.now() })
      .where('tenant_id', '=', tenantId)
      .execute()
  }
  return { limitBytes, usedBytes }
}

/** Returns the error of a tenant whose allowance has no room for `bytes` more. */
export function allowanceUsed({ limitBytes, usedBytes }: Allowance, bytes: number): DomainError {
  return KERNEL_ERRORS.storage_allowance_used(
    `${bytes} more bytes do not fit: your plan stores ${limitBytes} bytes and ${usedBytes} are in use. Bytes of cancelled and failed compiles come back within minutes; a larger plan stores more.`,
    { details: { limit_bytes: limitBytes, used_bytes: usedBytes, needed_bytes: bytes } },
  )
}

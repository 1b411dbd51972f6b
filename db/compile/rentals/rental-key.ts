import { openProviderKey } from '../../gateway/provider-keys/open-provider-key.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'
import type { RentalFacts } from './find-rental.ts'

type KeyedRental = Pick<RentalFacts, 'jobId' | 'providerKeyId'>

/**
 * Copies the tenant's own key into a rental, before its first machine is ordered with it. The machines are ended with the
 * copy, whatever becomes of the key. Returns false when the key has left the vault: no machine is ordered any more.
 */
export async function keepRentalKey(op: Operation, { jobId, providerKeyId }: KeyedRental): Promise<boolean> {
  if (providerKeyId === null) return true
  const key = await openProviderKey(op, providerKeyId)
  if (key === null) return false
  const sealed = Buffer.from(op.db.secrets.seal(Buffer.from(key), scopeOf(op.tenantId, jobId)))
  await op.write(
    async (tx) =>
      await tx.q
        .updateTable('rentals')
        .set({ sealed_key: sealed })
        .where('job_id', '=', jobId)
        .where('tenant_id', '=', op.tenantId)
        .where('sealed_key', 'is', null)
        .where('ended_at', 'is', null)
        .execute(),
  )
  return true
}

/** Opens the tenant's own key of a rental: its copy, or the vault's while there is none. Null when both are gone. */
export async function openRentalKey(op: Operation, jobId: string, providerKeyId: string): Promise<string | null> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('rentals')
      .select('sealed_key as sealed')
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId),
  )
  const sealed = row?.sealed ?? null
  if (sealed === null) return await openProviderKey(op, providerKeyId)
  return Buffer.from(op.db.secrets.open(sealed, scopeOf(op.tenantId, jobId))).toString('utf8')
}

/** Removes the copy of the key of a rental that ended. */
export async function forgetRentalKey(op: Operation, jobId: string): Promise<void> {
  await op.write(
    async (tx) =>
      await tx.q
        .updateTable('rentals')
        .set({ sealed_key: null })
        .where('job_id', '=', jobId)
        .where('tenant_id', '=', op.tenantId)
        .where('ended_at', 'is not', null)
        .execute(),
  )
}

function scopeOf(tenantId: string, jobId: string): SecretScope {
  return { owner: tenantId, id: jobId, purpose: 'rental' }
}

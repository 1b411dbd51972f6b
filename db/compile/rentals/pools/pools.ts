import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { requireLiveTenant } from '../../../accounts/tenants/require-live-tenant.ts'
import type { Operation, TenantAccess } from '../../../kernel/operation.ts'
import { lockInTransaction } from '../../../kernel/transaction.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { endPoolLeases } from './pool-leases.ts'
import type { TrainerPool } from './pool.ts'

/** A pool as it is shown. */
export interface PoolFacts extends Omit<TrainerPool, 'tenantId' | 'tokenHash' | 'seenAt'> {
  readonly seenAt: Date | null
  /** Fits that its workers have leased. */
  readonly leases: number
}

/** Stores a pool with the hash of its token. Throws `limit_reached`, and `pool_exists` for a name that is taken. */
export async function registerPool(
  op: Operation,
  pool: Pick<TrainerPool, 'name' | 'gpuSku' | 'vramTier' | 'tokenHash'> & { readonly most: number },
): Promise<PoolFacts> {
  const { name, gpuSku, vramTier, tokenHash, most } = pool
  const id = newId('pol')
  const createdAt = op.now()
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `pools ${op.tenantId}`)
    const pools = await tx.q.selectFrom('trainer_pools').select('name').where('tenant_id', '=', op.tenantId).execute()
    if (pools.some((other) => other.name === name)) {
      throw COMPILE_ERRORS.pool_exists(`name: you have a pool ${name} already; remove it, or choose another name`)
    }
    if (pools.length >= most)
      throw ACCOUNTS_ERRORS.limit_reached(`you have ${most} pools already; remove some first`, {
        details: { max: most },
      })
    await tx.q
      .insertInto('trainer_pools')
      .values({
        id,
        tenant_id: op.tenantId,
        name,
        gpu_sku: gpuSku,
        vram_tier: vramTier,
        token_hash: tokenHash,
        created_at: createdAt,
      })
      .execute()
    await recordAudit(tx, op, {
      action: 'pool.registered',
      target: id,
      payload: { pool_id: id, gpu_sku: gpuSku, vram_tier: vramTier },
    })
  })
  return { id, name, gpuSku, vramTier, createdAt, seenAt: null, leases: 0 }
}

/** Lists the pools of a tenant, the newest first. */
export async function listPools(op: TenantAccess): Promise<readonly PoolFacts[]> {
  const [pools, leases] = await op.read((q) => [
    q
      .selectFrom('trainer_pools')
      .select([
        'id',
        'name',
        'gpu_sku as gpuSku',
        'vram_tier as vramTier',
        'created_at as createdAt',
        'seen_at as seenAt',
      ])
      .where('tenant_id', '=', op.tenantId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc'),
    q
      .selectFrom('rental_leases')
      .select('machine_id as poolId')
      .where('tenant_id', '=', op.tenantId)
      .where('machine_id', 'like', 'pol\\_%')
      .where('ended_at', 'is', null),
  ])
  return pools.map((pool) => ({ ...pool, leases: leases.filter(({ poolId }) => poolId === pool.id).length }))
}

/** Removes a pool: its token ends, and fits that its workers had go back to the queue. Throws `not_found`. */
export async function removePool(op: Operation, poolId: string): Promise<void> {
  await op.write(async (tx) => {
    const removed = await tx.q
      .deleteFrom('trainer_pools')
      .where('id', '=', poolId)
      .where('tenant_id', '=', op.tenantId)
      .returning('id')
      .execute()
    if (removed.length === 0) throw KERNEL_ERRORS.not_found('no such pool')
    await endPoolLeases(tx, op, { poolId })
    await recordAudit(tx, op, { action: 'pool.removed', target: poolId, payload: { pool_id: poolId } })
  })
}

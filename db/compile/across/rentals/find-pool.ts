import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

/** The pool that a token belongs to. */
export interface TokenPool {
  readonly id: string
  readonly tenantId: string
  readonly gpuSku: string
  readonly vramTier: string
}

/** Finds the pool of a token by the token's hash; null for an unknown one. */
export async function poolOfToken(db: Database, tokenHash: string): Promise<TokenPool | null> {
  const [pool] = await service.read(db, 'a worker shows the token of its pool, and that names its tenant', (q) =>
    q
      .selectFrom('trainer_pools')
      .select(['id', 'tenant_id as tenantId', 'gpu_sku as gpuSku', 'vram_tier as vramTier'])
      .where('token_hash', '=', tokenHash)
      .limit(1),
  )
  return pool ?? null
}

import type { TenantAccess } from '../../kernel/operation.ts'

/** Returns the cloud jobs of a tenant that wait for a pool with these GPUs. */
export async function jobsWithoutPool(
  op: TenantAccess,
  gpus: { readonly gpuSku: string; readonly vramTier: string },
): Promise<readonly string[]> {
  const jobs = await op.read((q) =>
    q
      .selectFrom('cloud_jobs')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('lane', '=', 'pool')
      .where('gpu_sku', '=', gpus.gpuSku)
      .where('vram_tier', '=', gpus.vramTier)
      .where('settled_at', 'is', null)
      .orderBy('id'),
  )
  return jobs.map(({ id }) => id)
}

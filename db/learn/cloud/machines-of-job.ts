import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Returns the machines that a cloud job was submitted for, with their rate and its budget. Throws `not_found`. */
export async function machinesOfJob(op: Operation, id: string) {
  const [job] = await op.read((q) =>
    q
      .selectFrom('cloud_jobs')
      .select([
        'lane',
        'gpu_sku as gpuSku',
        'vram_tier as vramTier',
        'rate_usd_micros as rateUsdMicros',
        'budget_usd_micros as budgetUsdMicros',
        'provider_key_id as providerKeyId',
        'allows_sensitive as allowsSensitive',
      ])
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId),
  )
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such cloud job')
  return { ...job, providerKeyId: job.providerKeyId ?? null }
}

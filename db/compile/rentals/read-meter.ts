import { sql } from 'kysely'
import { costOfMs } from '../../../core/compile/stages/rentals/cost.ts'
import type { TenantAccess } from '../../kernel/operation.ts'
import type { MeterRow } from './meter-row.ts'

/** The metered time of a job. */
export interface Meter {
  /** The newest rows, oldest first. */
  readonly rows: readonly Pick<MeterRow, 'kind' | 'gpuMs' | 'rateUsdMicros' | 'at'>[]
  /** Of all rows. */
  readonly gpuMs: number
  readonly costUsdMicros: number
}

/** Reads the newest meter rows of a job, and its whole time and cost; the cost is rounded up once for each machine. */
export async function readMeter(
  op: TenantAccess,
  { jobId, limit }: { readonly jobId: string; readonly limit: number },
): Promise<Meter> {
  const [rows, sums] = await op.read((q) => [
    q
      .selectFrom('training_meter')
      .select(['kind', 'gpu_ms as gpuMs', 'rate_usd_micros as rateUsdMicros', 'at'])
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('number', 'desc')
      .limit(limit),
    q
      .selectFrom('training_meter')
      .select(['lease_id', 'rate_usd_micros as rateUsdMicros'])
      .select(sql<number>`sum(gpu_ms)::float8`.as('gpuMs'))
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .groupBy(['lease_id', 'rate_usd_micros']),
  ])
  return {
    rows: rows.toReversed(),
    gpuMs: sums.reduce((sum, { gpuMs }) => sum + gpuMs, 0),
    costUsdMicros: sums.reduce((sum, { gpuMs, rateUsdMicros }) => sum + costOfMs(gpuMs, rateUsdMicros), 0),
  }
}

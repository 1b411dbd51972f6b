import type { z } from 'zod'
import { isUnfinished } from '../../../../core/learn/distill/cloud/states.ts'
import type { CloudJobView, PoolView } from '../../../../core/learn/wire/cloud/jobs.ts'
import { gpuRateUsdMicros } from '../../../../core/compile/stages/rentals/quote/reference.ts'
import type { PoolFacts } from '../../../../db/compile/rentals/pools/pools.ts'
import type { ShownCloudJob } from '../../../../db/learn/cloud/find-cloud-job.ts'
import { gpusOf } from './gpus.ts'

/** A cloud job, field by field. */
export function presentCloudJob(job: ShownCloudJob): z.input<typeof CloudJobView> {
  const { state, compileJobId, errorCode } = job
  const endedAt = isUnfinished(state) ? null : (job.finishedAt ?? job.settledAt ?? null)
  return {
    job_id: job.id,
    state,
    namespace: job.namespace,
    capture_window: job.captureWindow,
    recipe_id: job.recipeId,
    backend: job.lane,
    gpu_sku: job.gpuSku,
    vram_tier: job.vramTier,
    rate_per_gpu_hour_usd: job.rateUsdMicros / 1_000_000,
    budget_usd: job.budgetUsdMicros / 1_000_000,
    base_model: job.baseModel,
    run_id: job.runId,
    compile_job_id: compileJobId,
    artifact_url: state === 'succeeded' && compileJobId !== null ? `/v1/artifacts/${compileJobId}/download` : null,
    error: state === 'failed' ? { code: errorCode ?? 'distill_failed', message: job.errorMessage } : null,
    cancel_reason: job.cancelReason ?? null,
    created_at: job.createdAt.toISOString(),
    updated_at: (endedAt ?? job.openedAt ?? job.settledAt ?? job.createdAt).toISOString(),
    started_at: job.openedAt?.toISOString() ?? null,
    finished_at: endedAt?.toISOString() ?? null,
  }
}

/** A pool, field by field, without its token. */
export function presentPool(pool: PoolFacts): z.input<typeof PoolView> {
  const { id, name, gpuSku, vramTier, createdAt, seenAt, leases } = pool
  return {
    pool_id: id,
    name,
    gpu_sku: gpuSku,
    vram_tier: vramTier,
    rate_per_gpu_hour_usd: gpuRateUsdMicros(gpusOf(gpuSku, vramTier)) / 1_000_000,
    fits: leases,
    created_at: createdAt.toISOString(),
    last_seen_at: seenAt?.toISOString() ?? null,
  }
}

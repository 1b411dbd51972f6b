import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import {
  CloudJobAccepted,
  CloudJobCancelled,
  CloudJobView,
  CloudMeterAnswer,
  ListCloudJobsAnswer,
  ListPoolsAnswer,
  PoolRegistered,
  PoolRemoved,
} from '../../../core/learn/wire/cloud/jobs.ts'
import type { CliContext } from '../../context.ts'
import { formatFacts, formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** Options of `svc cloud distill submit`. */
export interface SubmitFlags {
  readonly namespace?: string
  readonly window?: string
  readonly gpu?: string
  readonly tier?: string
  readonly provider?: string
  readonly base?: string
  readonly budget?: number
  readonly allowSensitive?: boolean
  readonly key?: string
}

/** Options of `svc cloud distill list`. */
export interface CloudListFlags {
  readonly status?: string
  readonly namespace?: string
  readonly limit: number
}

/** Options of `svc cloud pool register`. */
export interface PoolFlags {
  readonly gpu?: string
  readonly tier?: string
}

/** `svc cloud distill submit`. */
export async function submitJob(context: CliContext, flags: SubmitFlags): Promise<void> {
  const { namespace, window, gpu, tier, provider, base, budget, allowSensitive, key } = flags
  const json = {
    ...(namespace !== undefined && { namespace }),
    ...(window !== undefined && { capture_window: window }),
    ...(gpu !== undefined && { gpu_sku: gpu }),
    ...(tier !== undefined && { vram_tier: tier }),
    ...(provider !== undefined && { provider }),
    ...(base !== undefined && { base_model: base }),
    ...(budget !== undefined && { budget_usd: budget }),
    ...(allowSensitive === true && { allow_sensitive: true }),
  }
  const client = await context.client()
  const answer = await client.call('/v1/cloud/distill/submit', CloudJobAccepted, {
    method: 'POST',
    idempotencyKey: key ?? randomUUID(),
    json,
  })
  context.output.result(answer, () =>
    [
      `${answer.job_id} ${answer.state}, ${answer.cloud_backend_status}`,
      ...(answer.cloud_backend_status === 'no_pool_configured'
        ? [`it waits for a pool: svc cloud pool register NAME --gpu ${answer.gpu_sku} --tier ${answer.vram_tier}`]
        : []),
      `svc cloud distill show ${answer.job_id}`,
    ].join('\n'),
  )
}

/** `svc cloud distill list`. */
export async function listJobs(context: CliContext, { status, namespace, limit }: CloudListFlags): Promise<void> {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(status !== undefined && { status }),
    ...(namespace !== undefined && { namespace }),
  })
  const client = await context.client()
  const answer = await client.call(`/v1/cloud/distill?${query.toString()}`, ListCloudJobsAnswer)
  context.output.result(answer, () =>
    formatTable(
      ['job', 'state', 'namespace', 'machines', 'created', 'error'],
      answer.jobs.map((job) => [
        job.job_id,
        job.state,
        job.namespace,
        machinesOf(job),
        formatTime(job.created_at),
        job.error?.code ?? '',
      ]),
    ),
  )
}

/** `svc cloud distill show`. */
export async function showJob(context: CliContext, id: string): Promise<void> {
  const client = await context.client()
  const job = await client.call(`/v1/cloud/distill/${encodeURIComponent(id)}`, CloudJobView)
  context.output.result(job, () =>
    formatFacts([
      ['job', job.job_id],
      ['state', job.state],
      ['namespace', `${job.namespace}, captures of ${job.capture_window}`],
      ['machines', `${machinesOf(job)} at ${job.rate_per_gpu_hour_usd} USD an hour`],
      ['budget', `${job.budget_usd} USD`],
      ['base', job.base_model],
      ...(job.run_id === null ? [] : ([['distillation', job.run_id]] as const)),
      ...(job.compile_job_id === null ? [] : ([['compile', `svc show ${job.compile_job_id}`]] as const)),
      ...(job.error === null ? [] : ([['error', plainText(`${job.error.code}: ${job.error.message ?? ''}`)]] as const)),
    ]),
  )
}

/** `svc cloud distill cancel`. */
export async function cancelCloudJob(
  context: CliContext,
  id: string,
  { reason }: { readonly reason?: string },
): Promise<void> {
  const client = await context.client()
  const query = reason === undefined ? '' : `?${new URLSearchParams({ reason }).toString()}`
  const answer = await client.call(`/v1/cloud/distill/${encodeURIComponent(id)}${query}`, CloudJobCancelled, {
    method: 'DELETE',
  })
  context.output.result(answer, () => `${answer.job_id} cancelled`)
}

/** `svc cloud distill meter`. */
export async function showMeter(context: CliContext, id: string): Promise<void> {
  const client = await context.client()
  const meter = await client.call(`/v1/cloud/distill/meter/${encodeURIComponent(id)}`, CloudMeterAnswer)
  context.output.result(meter, () =>
    [
      formatTable(
        ['time', 'kind', 'seconds', 'USD'],
        meter.rows.map((row) => [formatTime(row.ts), row.kind, row.gpu_seconds.toFixed(1), row.cost_usd.toFixed(6)]),
      ),
      `${meter.total_gpu_seconds.toFixed(1)} seconds, ${meter.total_cost_usd.toFixed(4)} USD`,
    ].join('\n'),
  )
}

/** `svc cloud pool register`. */
export async function registerPool(context: CliContext, name: string, { gpu, tier }: PoolFlags): Promise<void> {
  const json = { name, ...(gpu !== undefined && { gpu_sku: gpu }), ...(tier !== undefined && { vram_tier: tier }) }
  const client = await context.client()
  const answer = await client.call('/v1/cloud/pools', PoolRegistered, {
    method: 'POST',
    idempotencyKey: randomUUID(),
    json,
  })
  context.output.result(answer, () =>
    [
      `${answer.pool.pool_id} ${answer.pool.name}, ${answer.pool.vram_tier} ${answer.pool.gpu_sku}`,
      `token, shown once: ${answer.token}`,
      `start a worker with: ${answer.command}`,
      ...(answer.waiting_jobs > 0 ? [`${answer.waiting_jobs} waiting jobs begin now`] : []),
    ].join('\n'),
  )
}

/** `svc cloud pool list`. */
export async function listPools(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('/v1/cloud/pools', ListPoolsAnswer)
  context.output.result(answer, () =>
    formatTable(
      ['pool', 'name', 'GPUs', 'fits', 'last seen'],
      answer.pools.map((pool) => [
        pool.pool_id,
        pool.name,
        `${pool.vram_tier} ${pool.gpu_sku}`,
        String(pool.fits),
        pool.last_seen_at === null ? 'never' : formatTime(pool.last_seen_at),
      ]),
    ),
  )
}

/** `svc cloud pool remove`. */
export async function removePool(context: CliContext, id: string): Promise<void> {
  const client = await context.client()
  const answer = await client.call(`/v1/cloud/pools/${encodeURIComponent(id)}`, PoolRemoved, { method: 'DELETE' })
  context.output.result(answer, () => `${answer.pool_id} removed`)
}

function machinesOf({ backend, gpu_sku: gpu, vram_tier: tier }: z.output<typeof CloudJobView>): string {
  return `${backend}, ${tier} ${gpu}`
}

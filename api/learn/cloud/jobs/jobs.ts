import { z } from 'zod'
import { costOfMs } from '../../../../core/compile/stages/rentals/cost.ts'
import { CaptureNamespace } from '../../../../core/gateway/wire/captures/fields.ts'
import { CloudJobId } from '../../../../core/kernel/wire/ids.ts'
import { pageQuery } from '../../../../core/kernel/wire/page.ts'
import { CLOUD_STATES } from '../../../../core/learn/distill/cloud/states.ts'
import {
  CloudJobCancelled,
  CloudJobView,
  CloudMeterAnswer,
  ListCloudJobsAnswer,
} from '../../../../core/learn/wire/cloud/jobs.ts'
import { readMeter } from '../../../../db/compile/rentals/read-meter.ts'
import { cancelCloudJob } from '../../../../db/learn/cloud/cancel-cloud-job.ts'
import { findCloudJob, listCloudJobs } from '../../../../db/learn/cloud/find-cloud-job.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'
import { presentCloudJob } from './present.ts'

const MICROS = 1_000_000
const params = z.object({ cloud_job_id: CloudJobId })

export const listCloudJobsRoute = defineRoute({
  method: 'get',
  path: '/v1/cloud/distill',
  operationId: 'listCloudJobs',
  group: 'cloud',
  summary: 'List cloud jobs, newest first',
  auth: 'key',
  scope: 'cloud:read',
  namespace: 'bounded',
  query: () =>
    pageQuery(100, 500).extend({
      status: z.enum(CLOUD_STATES).optional(),
      namespace: CaptureNamespace.optional(),
    }),
  fieldCodes: { status: 'invalid_status_filter' },
  answers: { 200: envelope('One page', ListCloudJobsAnswer) },
  errors: ['invalid_status_filter', 'invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { status, ...page } = query
  const { items, nextCursor, counts } = await listCloudJobs(op, { ...page, state: status })
  const numbers = {
    queued: counts.queued ?? 0,
    running: counts.running ?? 0,
    succeeded: counts.succeeded ?? 0,
    failed: counts.failed ?? 0,
    cancelled: counts.cancelled ?? 0,
  }
  return {
    status: 200,
    body: {
      jobs: items.map(presentCloudJob),
      count: items.length,
      total_for_tenant: Object.values(numbers).reduce((sum, count) => sum + count, 0),
      counts: numbers,
      status_filter: status ?? null,
      namespace_filter: query.namespace ?? null,
      next_cursor: nextCursor,
    },
  }
})

export const getCloudJobRoute = defineRoute({
  method: 'get',
  path: '/v1/cloud/distill/{cloud_job_id}',
  operationId: 'getCloudJob',
  group: 'cloud',
  summary: 'Show a cloud job as it stands',
  auth: 'key',
  scope: 'cloud:read',
  namespace: 'bounded',
  params,
  answers: { 200: envelope('The job', CloudJobView) },
}).handle(async ({ op, params: { cloud_job_id: id } }) => ({
  status: 200,
  body: presentCloudJob(await findCloudJob(op, id)),
}))

export const cancelCloudJobRoute = defineRoute({
  method: 'delete',
  path: '/v1/cloud/distill/{cloud_job_id}',
  operationId: 'cancelCloudJob',
  group: 'cloud',
  summary: 'Cancel a cloud job',
  description: 'The answer to the next report of a worker that has the fit says to stop. Time until then is metered.',
  auth: 'key',
  scope: 'cloud:write',
  namespace: 'bounded',
  params,
  query: z.object({ reason: z.string().min(1).max(500).optional().meta({ description: 'Why, for the record' }) }),
  answers: { 200: envelope('The job is cancelled', CloudJobCancelled) },
  errors: ['invalid_transition'],
}).handle(async ({ op, services, params: { cloud_job_id: id }, query }) => {
  const reason = query.reason ?? null
  const { cancelledAt, workflows } = await cancelCloudJob(op, { id, reason, limits: services.limits })
  services.workflows.changedSoon(id)
  for (const each of workflows) services.workflows.cancelSoon(each)
  return { status: 200, body: { job_id: id, state: 'cancelled', cancelled_at: cancelledAt.toISOString(), reason } }
})

export const getCloudMeterRoute = defineRoute({
  method: 'get',
  path: '/v1/cloud/distill/meter/{cloud_job_id}',
  operationId: 'getCloudMeter',
  group: 'cloud',
  summary: 'Show the metered time and cost of a cloud job',
  description:
    "A row for each heartbeat of a machine that has the fit, by this service's clock: no machine states its own time. Waiting costs nothing.",
  auth: 'key',
  scope: 'cloud:read',
  namespace: 'bounded',
  params,
  query: z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(1000)
      .default(200)
      .meta({ description: 'Maximum number of rows, the newest; the totals are of all' }),
  }),
  answers: { 200: envelope('The meter', CloudMeterAnswer) },
}).handle(async ({ op, params: { cloud_job_id: id }, query: { limit } }) => {
  const job = await findCloudJob(op, id)
  const { rows, gpuMs, costUsdMicros } = await readMeter(op, { jobId: job.runJobId ?? '', limit })
  return {
    status: 200,
    body: {
      job_id: id,
      rows: rows.map((row) => ({
        kind: row.kind,
        gpu_sku: job.gpuSku,
        vram_tier: job.vramTier,
        gpu_seconds: row.gpuMs / 1000,
        cost_usd: costOfMs(row.gpuMs, row.rateUsdMicros) / MICROS,
        rate_per_gpu_hour_usd: row.rateUsdMicros / MICROS,
        ts: row.at.toISOString(),
      })),
      total_gpu_seconds: gpuMs / 1000,
      total_cost_usd: costUsdMicros / MICROS,
      unit: 'gpu_hour',
      ledger: 'training',
    },
  }
})

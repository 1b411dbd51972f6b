import { z } from 'zod'
import { FIT_LANES } from '../../../compile/stages/rentals/lanes.ts'
import { GPU_SKUS, VRAM_TIERS } from '../../../compile/stages/rentals/quote/reference.ts'
import { LoraOptions } from '../../../compile/stages/lora/lora-options.ts'
import { KScoreFloor, taskText } from '../../../compile/wire/jobs/spec.ts'
import { CaptureNamespace } from '../../../gateway/wire/captures/fields.ts'
import { CloudJobId, PoolId } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { BACKEND_STATUSES } from '../../distill/cloud/backend.ts'
import { PRIORITY_LANES } from '../../distill/cloud/priority.ts'
import { CLOUD_STATES } from '../../distill/cloud/states.ts'
import { CAPTURE_WINDOW, windowMs } from '../../distill/cloud/window.ts'
import type { Limits } from '../../limits.ts'

const Time = z.iso.datetime()
const Gpu = z.string().max(64)

/** The GPUs of a job or a pool, as bodies name them; what they may be is checked by the handler, which lists them. */
const GpuSku = Gpu.meta({ description: `One of ${GPU_SKUS.join(', ')}`, example: 'A100-80GB' })
const VramTier = Gpu.meta({ description: `GPUs that work together: ${VRAM_TIERS.join(', ')}`, example: '1x' })

/** Body of `POST /v1/cloud/distill/submit`. */
export const cloudJobBody = (limits: Limits) => {
  const provider = z.string().min(1).max(40)
  const base = z.string().min(1).max(100)
  return z
    .strictObject({
      namespace: CaptureNamespace.default('default'),
      capture_window: z
        .string()
        .regex(CAPTURE_WINDOW, { error: 'must be a number of hours or days, such as 24h or 7d' })
        .refine((text) => windowMs(text) !== null, { error: 'must be at most 366 days' })
        .default('7d')
        .meta({
          description:
            'Captures since so long before the submission. The job learns from the approved ones among them when it begins',
          example: '7d',
        }),
      recipe_id: z.literal('default-distill').default('default-distill'),
      gpu_sku: GpuSku.optional().meta({
        description: `GPU of the pool, ${GPU_SKUS.join(', ')}; H100-80GB when absent. Not with \`provider\``,
      }),
      vram_tier: VramTier.optional().meta({
        description: `GPUs that work together, ${VRAM_TIERS.join(', ')}; 1x when absent. Not with \`provider\``,
      }),
      provider: provider.optional().meta({
        description: 'A lane of rented machines, in place of your own pool, as in `POST /v1/compile/cloud`',
        example: 'gpu_pods',
      }),
      managed_provider: provider.optional().meta({ description: 'In place of `provider`' }),
      base_model: base.optional().meta({ description: 'Base of the student; the default base when absent' }),
      student: base.optional().meta({ description: 'In place of `base_model`' }),
      task: taskText(limits).optional(),
      k_score_floor: KScoreFloor.default(0.85),
      lora: LoraOptions.optional(),
      budget_usd: z
        .number()
        .positive()
        .max(limits.rental_budget_usd)
        .optional()
        .meta({ description: `Before it is passed the fit stops; ${limits.rental_budget_usd} when absent` }),
      allow_sensitive: z.boolean().default(false).meta({
        description: 'Lets captures with sensitive text go to a rented machine as token ids. The ledger records it',
      }),
      billing_token: z
        .string()
        .min(8)
        .max(512)
        .optional()
        .meta({ description: 'A token of your own billing; only a keyed hash of it is kept, and no answer holds it' }),
      idempotency_key: z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must have 1 to 255 printable ASCII characters' })
        .optional()
        .meta({ description: 'In place of the header `Idempotency-Key`' }),
    })
    .meta({ id: 'CloudJobRequest', example: { namespace: 'support', capture_window: '7d', gpu_sku: 'A100-80GB' } })
}

const CloudJobFields = z.object({
  job_id: CloudJobId,
  state: z.enum(CLOUD_STATES),
  namespace: z.string(),
  capture_window: z.string(),
  recipe_id: z.string(),
  backend: z.enum(FIT_LANES),
  gpu_sku: z.string(),
  vram_tier: z.string(),
  rate_per_gpu_hour_usd: z.number(),
  budget_usd: z.number(),
  base_model: z.string(),
  run_id: z.string().nullable().meta({ description: 'Its distillation, with measured figures; null until it begins' }),
  compile_job_id: z.string().nullable().meta({ description: 'The compile of the distillation; null until it trains' }),
  artifact_url: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string().nullable() }).nullable(),
  cancel_reason: z.string().nullable(),
  created_at: Time,
  updated_at: Time,
  started_at: Time.nullable().meta({ description: 'When a machine first took the fit' }),
  finished_at: Time.nullable(),
})

/** A cloud job. */
export const CloudJobView = CloudJobFields.meta({ id: 'CloudJob' })

/** Answer of `POST /v1/cloud/distill/submit`. */
export const CloudJobAccepted = CloudJobFields.extend({
  cloud_backend_status: z.enum(BACKEND_STATUSES).meta({
    description:
      '`no_pool_configured`: the job waits for a pool with its GPUs and costs nothing. `unreachable`: the pool has sent no report for a minute',
  }),
  scheduler_lane: z
    .enum(PRIORITY_LANES)
    .meta({ description: 'By your plan now; fits are ranked by the plan when they are queued' }),
  created: z.boolean().meta({ description: 'False when an earlier call with the same key made the job' }),
  idempotent_replay: z.boolean(),
  poll_url: z.string(),
  meter_url: z.string(),
}).meta({ id: 'CloudJobAccepted' })

/** Answer of `GET /v1/cloud/distill`. */
export const ListCloudJobsAnswer = z
  .object({
    jobs: z.array(CloudJobView),
    count: z.int(),
    total_for_tenant: z.int(),
    counts: z.object(Object.fromEntries(CLOUD_STATES.map((state) => [state, z.int()]))).meta({
      description: 'Of all your jobs, by state',
    }),
    status_filter: z.enum(CLOUD_STATES).nullable(),
    namespace_filter: z.string().nullable(),
    next_cursor: NextCursor,
  })
  .meta({ id: 'CloudJobs' })

/** Answer of `DELETE /v1/cloud/distill/{cloud_job_id}`. */
export const CloudJobCancelled = z
  .object({
    job_id: CloudJobId,
    state: z.literal('cancelled'),
    cancelled_at: Time,
    reason: z.string().nullable(),
  })
  .meta({ id: 'CloudJobCancelled' })

/** Answer of `GET /v1/cloud/distill/meter/{cloud_job_id}`. */
export const CloudMeterAnswer = z
  .object({
    job_id: CloudJobId,
    rows: z
      .array(
        z.object({
          kind: z.enum(['training_reservation', 'training_run']),
          gpu_sku: z.string(),
          vram_tier: z.string(),
          gpu_seconds: z.number(),
          cost_usd: z.number(),
          rate_per_gpu_hour_usd: z.number(),
          ts: Time,
        }),
      )
      .meta({ description: 'The newest, oldest first: the machine took the fit, or worked until this heartbeat' }),
    total_gpu_seconds: z.number().meta({ description: 'Of all rows' }),
    total_cost_usd: z.number(),
    unit: z.literal('gpu_hour'),
    ledger: z.literal('training'),
  })
  .meta({ id: 'CloudMeter' })

/** Body of `POST /v1/cloud/pools`. */
export const PoolBody = z
  .object({
    name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
      error: 'must be lower-case letters, digits, dots, dashes or underscores',
    }),
    gpu_sku: GpuSku.default('H100-80GB'),
    vram_tier: VramTier.default('1x'),
  })
  .meta({ id: 'PoolRequest', example: { name: 'lab', gpu_sku: 'A100-80GB' } })

/** A pool. */
export const PoolView = z
  .object({
    pool_id: PoolId,
    name: z.string(),
    gpu_sku: z.string(),
    vram_tier: z.string(),
    rate_per_gpu_hour_usd: z.number(),
    fits: z.int().meta({ description: 'Fits that its workers have now' }),
    created_at: Time,
    last_seen_at: Time.nullable().meta({ description: 'When a worker last asked for a fit' }),
  })
  .meta({ id: 'Pool' })

/** Answer of `POST /v1/cloud/pools`. */
export const PoolRegistered = z
  .object({
    pool: PoolView,
    token: z.string().meta({ description: 'Shown once; workers lease fits with it' }),
    command: z.string().meta({ description: 'Starts a worker, on a machine with `workers/trainer`' }),
    waiting_jobs: z.int().meta({ description: 'Cloud jobs that waited for such a pool, and begin now' }),
  })
  .meta({ id: 'PoolRegistered' })

/** Answer of `GET /v1/cloud/pools`. */
export const ListPoolsAnswer = z.object({ pools: z.array(PoolView), count: z.int() }).meta({ id: 'Pools' })

/** Answer of `DELETE /v1/cloud/pools/{pool_id}`. */
export const PoolRemoved = z.object({ pool_id: PoolId, removed: z.literal(true) }).meta({ id: 'PoolRemoved' })

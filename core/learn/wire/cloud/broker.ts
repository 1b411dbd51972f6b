import { z } from 'zod'
import { BROKER_SPEC, WORKLOADS } from '../../plans/cloud/lanes.ts'
import { PRIVACY_MODES } from '../../plans/strategy/catalog.ts'

const Text = z.string().min(1).max(200)

const LaneView = z.object({
  id: z.string(),
  label: z.string(),
  category: z.string(),
  workloads: z.array(z.enum(WORKLOADS)),
  runs_here: z.array(z.enum(WORKLOADS)).meta({ description: 'Work that this service runs on the lane' }),
  execution: z.string(),
  privacy_modes: z.array(z.enum(PRIVACY_MODES)),
  max_params_b: z.number(),
})

/** Answer of `GET /v1/cloud/broker/catalog`. */
export const BrokerCatalogAnswer = z
  .object({
    spec: z.literal(BROKER_SPEC),
    workloads: z.array(z.enum(WORKLOADS)),
    privacy_modes: z.array(z.enum(PRIVACY_MODES)),
    lanes: z.array(LaneView.meta({ id: 'ComputeLane' })),
    secret_values_included: z.literal(false),
  })
  .meta({ id: 'BrokerCatalog' })

const MOST_PARAMS_B = 2000

/** Body of `POST /v1/cloud/broker`. */
export const BrokerBody = z
  .object({
    workload: z.enum(WORKLOADS).default('train'),
    privacy: z.enum(PRIVACY_MODES).default('standard'),
    params_b: z
      .number()
      .min(0.1)
      .max(MOST_PARAMS_B)
      .optional()
      .meta({ description: 'Thousand millions of parameters; 7 when absent, 3 for `serve`, 0.1 for `compile`' }),
    rows: z.int().min(0).max(1_000_000_000).optional().meta({ description: '1,000 when absent' }),
    budget_usd: z.number().min(0).max(1e9).default(0),
    context_tokens: z.int().min(512).max(10_000_000).default(8192),
    base_model: Text.optional(),
    dataset: Text.optional().meta({ description: 'A file of examples; of `distill` a namespace of captures' }),
    artifact: Text.optional(),
    name: Text.optional(),
    no_local_gpu: z.boolean().default(false),
  })
  .meta({ id: 'BrokerRequest', example: { workload: 'train', privacy: 'standard', params_b: 7, budget_usd: 20 } })

const Estimate = z
  .object({
    basis: z.literal('not_measured'),
    why: z.string(),
    tokens: z.int(),
    tokens_per_second: z.number(),
    duration_s: z.int(),
    cold_start_s: z.int(),
    cost_usd: z.number().nullable(),
  })
  .meta({ id: 'LaneEstimate', description: 'What a table of reference figures says of a fit; nothing was measured' })

const RankedLaneView = LaneView.extend({
  state: z.enum(['ready', 'needs_configuration', 'infeasible', 'not_available']).meta({
    description: '`not_available`: this service does not run the work there, and never recommends it',
  }),
  score: z.number(),
  feasible: z.boolean(),
  configured: z.boolean(),
  blockers: z.array(z.string()),
  strengths: z.array(z.string()),
  caveats: z.array(z.string()),
  estimate: Estimate.nullable(),
  run_command: z.string().nullable().meta({ description: 'Of a lane that is ready' }),
}).meta({ id: 'RankedLane' })

/** Answer of `POST /v1/cloud/broker`. */
export const BrokerAnswer = z
  .object({
    ok: z.boolean().meta({ description: 'Whether the recommended lane is ready' }),
    request_id: z.string(),
    spec: z.literal(BROKER_SPEC),
    profile: z.record(z.string(), z.unknown()),
    recommendation: RankedLaneView.nullable(),
    ranked: z.array(RankedLaneView),
    storage: z.object({
      ok: z.boolean(),
      cloud_ok: z.boolean().meta({ description: 'Whether other machines can fetch artifacts from this service' }),
      selected_provider: z.string(),
      configured_provider_ids: z.array(z.string()),
    }),
    next_actions: z.array(z.string()),
    secret_values_included: z.literal(false),
  })
  .meta({ id: 'BrokerPlan' })

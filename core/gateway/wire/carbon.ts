import { z } from 'zod'
import { CARBON_PROVIDERS, GPU_WATTS, GRID_KG, WH_PER_1K_TOKENS } from '../providers/carbon/figures.ts'

const MOST_HOURS = 1_000_000
const MOST_TOKENS = 10_000_000_000

const SIZES = Object.keys(WH_PER_1K_TOKENS) as [keyof typeof WH_PER_1K_TOKENS]

/** The query of an estimate: hours of an accelerator, tokens at a provider, or both. */
export const CarbonQuery = z.object({
  gpu: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .meta({ description: 'Accelerator; one that is not in the list counts as a processor', example: 'H100-SXM5' }),
  hours: z.coerce.number().positive().max(MOST_HOURS).optional().meta({ description: 'Hours of work, with `gpu`' }),
  region: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .meta({ description: 'Region of a cloud; the average of the world when absent or unknown', example: 'us-east-1' }),
  utilization: z.coerce
    .number()
    .positive()
    .max(1)
    .optional()
    .meta({ description: 'Share of its power that the accelerator takes; 0.75 when absent' }),
  provider: z.enum(CARBON_PROVIDERS).optional().meta({ description: 'Provider of a model, with `tokens`' }),
  tokens: z.coerce.number().int().positive().max(MOST_TOKENS).optional(),
  model_size_class: z.enum(SIZES).optional().meta({ description: 'Size of the model; `medium` when absent' }),
  compare: z.enum(['0', '1']).optional().meta({ description: '1 compares both, which the query must have' }),
})

const Sourced = z.object({ value: z.number(), source: z.string() }).meta({ id: 'SourcedFigure' })
const Kwh = z.number().meta({ description: 'Kilowatt-hours' })
const Kg = z.number().meta({ description: 'Kilograms of CO2 equivalents' })

const Local = z
  .object({
    kwh: Kwh,
    kg_co2e: Kg,
    gpu: z.string().meta({ description: 'The accelerator whose power was taken' }),
    gpu_known: z.boolean(),
    hours: z.number(),
    utilization: z.number(),
    region: z.string().meta({ description: 'The region whose grid was taken' }),
    region_known: z.boolean(),
    watts: Sourced,
    grid_kg_per_kwh: z.number(),
    grid_published: Sourced.nullable().meta({ description: 'A published figure to compare with' }),
  })
  .meta({ id: 'LocalCarbon' })

const Frontier = z
  .object({
    kwh: Kwh,
    kg_co2e: Kg,
    provider: z.enum(CARBON_PROVIDERS),
    tokens: z.int(),
    model_size_class: z.enum(SIZES),
    wh_per_1k_tokens: Sourced,
    grid_kg_per_kwh: Sourced,
  })
  .meta({ id: 'FrontierCarbon' })

/** Answer of `GET /v1/carbon/estimate`. */
export const CarbonAnswer = z.object({
  methodology: z.literal('public-research-estimate'),
  honest_caveat: z.literal('estimate_not_measured'),
  error_bar_pct: z.int(),
  assumptions: z.object({
    pue: z.number().meta({ description: 'Energy of the whole site over that of its machines; 1 leaves cooling out' }),
    figures_as_of: z.iso.date(),
    formula_local: z.string(),
    formula_frontier: z.string(),
  }),
  local: Local.nullable(),
  frontier: Frontier.nullable(),
  comparison: z
    .object({
      saved_kg_co2e: z.number().meta({ description: 'Of the provider less the local one; below 0 when local is more' }),
      local_is_greener: z.boolean(),
    })
    .meta({ id: 'CarbonComparison' })
    .nullable(),
  known_gpu_skus: z.array(z.string()),
  known_regions: z.array(z.string()),
})

/** The names that a query may use. */
export const KNOWN_CARBON = { gpus: Object.keys(GPU_WATTS), regions: Object.keys(GRID_KG) } as const

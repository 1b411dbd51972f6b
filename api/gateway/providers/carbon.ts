import type { z } from 'zod'
import { estimateFrontier, estimateLocal, USUAL_UTILIZATION } from '../../../core/gateway/providers/carbon/estimate.ts'
import { FIGURES_AS_OF } from '../../../core/gateway/providers/carbon/figures.ts'
import { CarbonAnswer, CarbonQuery, KNOWN_CARBON } from '../../../core/gateway/wire/carbon.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

const ERROR_BAR_PCT = 30
/** Cooling and power supply are left out: they differ more by site than any figure for all of them would tell. */
const PUE = 1

export const estimateCarbonRoute = defineRoute({
  method: 'get',
  path: '/v1/carbon/estimate',
  operationId: 'estimateCarbon',
  group: 'gateway',
  summary: 'Estimate energy and emissions of local work and of tokens at a provider',
  description:
    'Out of published figures, each with its source; nothing is measured, and the result may be off by 30 % and more. Takes `gpu` with `hours`, `provider` with `tokens`, or both to compare them.',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'none: it computes with public figures',
  query: CarbonQuery,
  answers: { 200: envelope('The estimate', CarbonAnswer) },
}).handle(async ({ query }) => {
  const local = localOf(query)
  const frontier = frontierOf(query)
  if (local === null && frontier === null) {
    throw invalidField('gpu', 'give gpu and hours, provider and tokens, or all four')
  }
  if (query.compare === '1' && (local === null || frontier === null)) {
    throw invalidField('compare', 'compares local work with a provider: give gpu, hours, provider and tokens')
  }
  const saved = local === null || frontier === null ? null : frontier.kg_co2e - local.kg_co2e
  return await Promise.resolve({
    status: 200,
    body: {
      methodology: 'public-research-estimate' as const,
      honest_caveat: 'estimate_not_measured' as const,
      error_bar_pct: ERROR_BAR_PCT,
      assumptions: {
        pue: PUE,
        figures_as_of: FIGURES_AS_OF,
        formula_local: 'kg = watts × utilization × hours / 1000 × kg per kWh',
        formula_frontier: 'kg = tokens / 1000 × Wh per 1k tokens / 1000 × kg per kWh',
      },
      local,
      frontier,
      comparison: saved === null ? null : { saved_kg_co2e: saved, local_is_greener: saved > 0 },
      known_gpu_skus: [...KNOWN_CARBON.gpus],
      known_regions: [...KNOWN_CARBON.regions],
    },
  })
})

type Query = z.output<typeof CarbonQuery>
type Answer = z.input<typeof CarbonAnswer>

function localOf({ gpu, hours, region, utilization = USUAL_UTILIZATION }: Query): Answer['local'] {
  if (gpu === undefined && hours === undefined) return null
  if (gpu === undefined) throw invalidField('gpu', `is needed with hours; known: ${KNOWN_CARBON.gpus.join(', ')}`)
  if (hours === undefined) throw invalidField('hours', 'is needed with gpu')
  const made = estimateLocal({ gpu, hours, utilization, region })
  return {
    kwh: made.kwh,
    kg_co2e: made.kgCo2e,
    gpu: made.gpu,
    gpu_known: made.isGpuKnown,
    hours,
    utilization,
    region: made.region,
    region_known: made.isRegionKnown,
    watts: { ...made.watts },
    grid_kg_per_kwh: made.grid.value,
    grid_published: made.grid.published === null ? null : { ...made.grid.published },
  }
}

function frontierOf({ provider, tokens, model_size_class: size = 'medium' }: Query): Answer['frontier'] {
  if (provider === undefined && tokens === undefined) return null
  if (provider === undefined) throw invalidField('provider', 'is needed with tokens')
  if (tokens === undefined) throw invalidField('tokens', 'is needed with provider')
  const made = estimateFrontier(tokens, size)
  return {
    kwh: made.kwh,
    kg_co2e: made.kgCo2e,
    provider,
    tokens,
    model_size_class: size,
    wh_per_1k_tokens: { ...made.whPer1kTokens },
    grid_kg_per_kwh: { ...made.grid },
  }
}

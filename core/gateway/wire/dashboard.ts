import { z } from 'zod'
import { REVIEW_STATUSES } from '../captures/review.ts'
import { FALLBACK_REASONS } from '../routing/route-facts.ts'
import { CaptureNamespace } from './captures/fields.ts'

/** Days that the dashboard looks back, today among them. */
export const WINDOW_DAYS = 30
/** Calls that it lists. */
export const RECENT_CALLS = 20

/** The formula of the savings, as the answer states it. */
export const SAVINGS_FORMULA =
  'saved_usd = sum over locally answered calls of (cost of the same tokens at the provider that the call was meant for - cost_usd of the call); calls without a known cost are counted in unknown_calls and left out'

const Route = z.enum(['local', 'frontier'])
const Usd = z.number().meta({ description: 'US dollars' })
const Percent = z.number().min(0).max(100).nullable()
const CostUsd = Usd.meta({ description: 'US dollars; calls without a known cost add nothing, see `unpriced_calls`' })
const UnpricedCalls = z.int().meta({
  description:
    'Calls whose cost is not known: of models without a known price, or that a provider may bill although it gave no answer',
})

const Savings = z
  .object({
    calls: z.int().meta({ description: 'Calls that the sum is over' }),
    unknown_calls: z.int().meta({ description: 'Calls that it leaves out, because a cost is unknown' }),
    saved_usd: Usd.nullable().meta({ description: 'Null when no cost is known' }),
  })
  .meta({ id: 'GatewaySavings' })

const Times = z
  .object({
    p50: z.number(),
    p95: z.number(),
    calls: z.int().meta({ description: 'Calls that were measured' }),
  })
  .meta({ id: 'GatewayTimes', description: 'Milliseconds, right within 5 %' })

const ProviderRow = z
  .object({
    provider: z.string().meta({ description: 'Id of the provider; `.svc` for own artifacts' }),
    route_decision: Route,
    calls: z.int().meta({ description: 'Calls that it answered, or that asked it last' }),
    failed_calls: z.int().meta({ description: 'Of these, calls without any answer' }),
    interrupted_calls: z.int().meta({ description: 'Of these, calls whose answer was cut off' }),
    failed_attempts: z
      .int()
      .meta({ description: 'Attempts that it did not answer, also of calls that went on to another provider' }),
    cost_usd: CostUsd,
    unpriced_calls: UnpricedCalls,
    latency_ms: Times.nullable().meta({ description: 'Of whole answers; null without any' }),
    first_content_ms: Times.nullable().meta({ description: 'Time to the first content of streams; null without any' }),
    breaker: z
      .object({
        state: z.enum(['closed', 'open', 'half_open']),
        retry_in_ms: z.int().min(0),
        calls: z.int().min(0),
        failures: z.int().min(0),
      })
      .meta({ id: 'GatewayBreaker' })
      .nullable()
      .meta({ description: 'Circuit breaker of its server in the answering process; null for own artifacts' }),
  })
  .meta({ id: 'GatewayProviderCalls' })

const RecentCall = z
  .object({
    id: z.string().meta({ description: 'Id of the capture' }),
    timestamp: z.iso.datetime(),
    namespace: z.string(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    route_decision: Route,
    fallback_reason: z.enum(FALLBACK_REASONS).nullable(),
    cache: z.enum(['off', 'miss', 'hit']),
    confidence: z.number().nullable(),
    outcome: z.enum(['whole', 'interrupted', 'left', 'failed']),
    status: z.enum(REVIEW_STATUSES).meta({ description: 'Review state of the capture' }),
    latency_ms: z.number().nullable(),
    first_content_ms: z.number().nullable(),
    cost_usd: z.number().nullable(),
    receipt_id: z.string().nullable(),
  })
  .meta({ id: 'RecentGatewayCall' })

/** The query of the dashboard. */
export const DashboardQuery = z.object({ namespace: CaptureNamespace.optional() })

/** Answer of `GET /v1/gateway/dashboard`. */
export const DashboardAnswer = z.object({
  version: z.literal('gateway-dashboard-1'),
  window: z.literal('30d'),
  since: z.iso.datetime().meta({ description: 'Begin of the first day, UTC' }),
  namespace: z.string().nullable().meta({ description: 'The namespace that was asked for; null for all' }),
  metrics: z.object({
    total_calls: z.int(),
    failed_calls: z.int().meta({ description: 'Calls without any answer; neither local nor frontier' }),
    local_calls: z.int().meta({ description: 'Calls that an own artifact or a server of the operator answered' }),
    frontier_calls: z.int().meta({ description: 'Calls that a provider or the cache of its answers answered' }),
    local_pct: Percent.meta({ description: 'Of the answered calls; null without any' }),
    frontier_pct: Percent,
    cost_usd: CostUsd,
    unpriced_calls: UnpricedCalls,
    saved_usd: Usd.nullable().meta({ description: '`savings.local.saved_usd`' }),
    mean_confidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'Over calls that asked an own artifact with a calibrated confidence; null without any' }),
    cache_hits: z.int(),
  }),
  savings: z.object({
    formula: z.string().meta({ description: 'How the savings are computed' }),
    local: Savings,
    cache: Savings.meta({ description: 'The same for calls that the cache answered; not part of `saved_usd`' }),
  }),
  routes: z
    .array(
      z
        .object({ route_decision: Route, fallback_reason: z.enum(FALLBACK_REASONS).nullable(), calls: z.int() })
        .meta({ id: 'GatewayRouteCalls' }),
    )
    .meta({ description: 'Answered calls by route, and by the reason for leaving the target before' }),
  by_provider: z.array(ProviderRow).meta({ description: 'Most calls first' }),
  by_day: z
    .array(
      z
        .object({
          day: z.iso.date(),
          calls: z.int(),
          failed_calls: z.int(),
          local_calls: z.int(),
          cost_usd: Usd,
          saved_usd: Usd.nullable(),
        })
        .meta({ id: 'GatewayDay' }),
    )
    .meta({ description: 'Days (UTC) with calls, oldest first' }),
  recent_calls: z.array(RecentCall).meta({ description: 'The newest 20' }),
  namespaces: z
    .array(z.object({ namespace: z.string(), calls: z.int() }).meta({ id: 'GatewayNamespaceCalls' }))
    .meta({ description: 'The 100 with the most calls' }),
})

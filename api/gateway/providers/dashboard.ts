import type { z } from 'zod'
import { GATEWAY_PROVIDERS } from '../../../core/gateway/calls/providers.ts'
import {
  answered,
  sumCalls,
  type CallSums,
  type ProviderSums,
} from '../../../core/gateway/record/dashboard/sum-calls.ts'
import {
  DashboardAnswer,
  DashboardQuery,
  RECENT_CALLS,
  SAVINGS_FORMULA,
  WINDOW_DAYS,
} from '../../../core/gateway/wire/dashboard.ts'
import { readRecentCalls, type RecentCall } from '../../../db/gateway/sums/recent-calls.ts'
import { readSums } from '../../../db/gateway/sums/read-sums.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { requireAccess } from '../captures/access.ts'
import { defineRoute, type GatewayServices } from '../services.ts'
import { baseUrlOf } from './providers.ts'

type Answer = z.input<typeof DashboardAnswer>

export const getDashboardRoute = defineRoute({
  method: 'get',
  path: '/v1/gateway/dashboard',
  operationId: 'getGatewayDashboard',
  group: 'gateway',
  summary: 'Show calls, routes, savings and latencies of the last 30 days',
  description:
    'Sums over the captured calls of the tenant, up to the newest: where they went and why, what they cost and what local answers saved, with the formula, and for each provider its latency, its time to the first content, its failures and its circuit breaker. Days are those of UTC. Forgotten captures count in the sums and are absent from `recent_calls`. A key that is bound to namespaces sees their calls.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['lake:read'],
  namespace: 'bounded',
  query: DashboardQuery,
  answers: { 200: envelope('The sums', DashboardAnswer) },
  errors: ['forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', query.namespace)
  })
  .handle(async ({ op, services, query: { namespace } }) => {
    const since = windowStart(op.now())
    const [{ days, measures, namespaces }, recent] = await Promise.all([
      readSums(op, { since, namespace }),
      readRecentCalls(op, { namespace, most: RECENT_CALLS }),
    ])
    const { all, local, byProvider, byDay, byRoute } = sumCalls(days, measures)
    return {
      status: 200,
      body: {
        version: 'gateway-dashboard-1' as const,
        window: '30d' as const,
        since: since.toISOString(),
        namespace: namespace ?? null,
        metrics: metricsOf(all, local),
        savings: {
          formula: SAVINGS_FORMULA,
          local: savingsOf(answered(local) - local.hits, local.savedUnknown, local.savedMicros),
          cache: savingsOf(all.hits, all.hitUnknown, all.hitSavedMicros),
        },
        routes: byRoute.map(({ isLocal, reason, calls }) => {
          return { route_decision: decisionOf(isLocal), fallback_reason: reason, calls }
        }),
        by_provider: byProvider.map((row) => presentProvider(services, row)),
        by_day: byDay.map(([day, sums, own]) => ({
          day,
          calls: sums.calls,
          failed_calls: sums.failed,
          local_calls: answered(own),
          cost_usd: usd(sums.costMicros),
          saved_usd: savedUsd(answered(own) - own.hits, own.savedUnknown, own.savedMicros),
        })),
        recent_calls: recent.map((call) => presentRecent(call)),
        namespaces: namespaces.map((row) => ({ ...row })),
      },
    }
  })

/** The begin of the first of the last 30 days, UTC. */
function windowStart(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - (WINDOW_DAYS - 1)))
}

function metricsOf(all: CallSums, local: CallSums): Answer['metrics'] {
  const [answers, localAnswers] = [answered(all), answered(local)]
  const share = (calls: number) => (answers === 0 ? null : Math.round((calls / answers) * 10_000) / 100)
  return {
    total_calls: all.calls,
    failed_calls: all.failed,
    local_calls: localAnswers,
    frontier_calls: answers - localAnswers,
    local_pct: share(localAnswers),
    frontier_pct: share(answers - localAnswers),
    cost_usd: usd(all.costMicros),
    unpriced_calls: all.unpriced,
    saved_usd: savedUsd(localAnswers - local.hits, local.savedUnknown, local.savedMicros),
    mean_confidence: all.confident === 0 ? null : all.confidenceSum / all.confident,
    cache_hits: all.hits,
  }
}

function savingsOf(calls: number, unknown: number, micros: number): Answer['savings']['local'] {
  return { calls: calls - unknown, unknown_calls: unknown, saved_usd: savedUsd(calls, unknown, micros) }
}

/** Null where calls could have saved something and no cost of them is known; 0 where there were none. */
function savedUsd(calls: number, unknown: number, micros: number): number | null {
  return calls > 0 && calls === unknown ? null : usd(micros)
}

function usd(micros: number): number {
  return micros / 1_000_000
}

function decisionOf(isLocal: boolean): 'local' | 'frontier' {
  return isLocal ? 'local' : 'frontier'
}

function presentProvider(services: GatewayServices, row: ProviderSums): Answer['by_provider'][number] {
  const { provider: id, isLocal, sums, failedAttempts, latency, firstContent } = row
  const provider = GATEWAY_PROVIDERS.find((one) => one.id === id)
  return {
    provider: id,
    route_decision: decisionOf(isLocal || id.startsWith('local')),
    calls: sums.calls,
    failed_calls: sums.failed,
    interrupted_calls: sums.interrupted,
    failed_attempts: failedAttempts,
    cost_usd: usd(sums.costMicros),
    unpriced_calls: sums.unpriced,
    latency_ms: latency === null ? null : { ...latency },
    first_content_ms: firstContent === null ? null : { ...firstContent },
    breaker: provider === undefined ? null : breakerOf(services, provider),
  }
}

function breakerOf(services: GatewayServices, provider: (typeof GATEWAY_PROVIDERS)[number]) {
  const { state, opensInMs, calls, failures } = services.breakers.server(provider.id, baseUrlOf(services, provider))
  return { state, retry_in_ms: Math.round(opensInMs), calls, failures }
}

function presentRecent(call: RecentCall): Answer['recent_calls'][number] {
  const { route } = call
  return {
    id: call.id,
    timestamp: call.at.toISOString(),
    namespace: call.namespace,
    provider: call.provider,
    model: call.model,
    route_decision: decisionOf(route?.decision === 'local'),
    fallback_reason: route?.fallbackReason ?? null,
    cache: route?.cache ?? 'off',
    confidence: route?.confidence ?? null,
    outcome: call.outcome,
    status: call.status,
    latency_ms: call.latencyUs === null ? null : call.latencyUs / 1000,
    first_content_ms: call.firstContentUs === null ? null : call.firstContentUs / 1000,
    cost_usd: call.costMicros === null ? null : call.costMicros / 1_000_000,
    receipt_id: call.receiptId,
  }
}

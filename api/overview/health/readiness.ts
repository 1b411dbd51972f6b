import { PROBES } from '../../kernel/guard/public-limits.ts'
import { checkDeeply } from './facts/deep-readiness.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { checkReadiness, isReady } from './facts/readiness.ts'
import { presentChecks } from './checks.ts'
import { DeepReadinessView, ReadinessView } from '../../../core/overview/wire/health/readiness.ts'

export const getReadinessRoute = defineRoute({
  method: 'get',
  path: '/ready',
  limit: PROBES,
  operationId: 'getReadiness',
  group: 'health',
  summary: 'Check readiness: 503 when a required check fails',
  auth: 'public',
  scope: undefined,
  answers: {
    200: bareDocument('Ready', ReadinessView),
    503: bareDocument('A required check fails; its row says which', ReadinessView),
  },
}).handle(async ({ services }) => {
  const readiness = await checkReadiness(services)
  const body = { production_like: services.settings.isProduction, checks: presentChecks(readiness) }
  return isReady(readiness)
    ? { status: 200, body: { status: 'ready', ...body } }
    : { status: 503, body: { status: 'not_ready', ...body } }
})

export const getDeepReadinessRoute = defineRoute({
  method: 'get',
  path: '/ready/deep',
  operationId: 'getDeepReadiness',
  group: 'health',
  summary: 'Check readiness in detail: use every part once',
  description:
    'Each check takes at most one second. An optional part that is not configured has `ok: false`, `required: false`.',
  auth: 'key',
  scope: 'metrics:read',
  namespace: 'none: it shows the service, and nothing of a tenant',
  answers: {
    200: bareDocument('Every required part works', DeepReadinessView),
    503: bareDocument('A required part does not work; its row says which', DeepReadinessView),
  },
}).handle(async ({ services }) => {
  const checks = await checkDeeply(services)
  const isOk = checks.every(({ ok, required }) => ok || !required)
  const body = {
    checked_at: services.now().toISOString(),
    checks: checks.map(({ name, ok, required, label, latencyMs, detail }) => ({
      name,
      ok,
      required,
      label,
      latency_ms: latencyMs,
      detail,
    })),
  }
  return isOk
    ? { status: 200, body: { ok: true, status: 'ready', ...body } }
    : { status: 503, body: { ok: false, status: 'not_ready', ...body } }
})

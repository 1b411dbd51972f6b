import { PROBES } from '../../kernel/guard/public-limits.ts'
import { OVERVIEW_ERRORS } from '../../../core/overview/errors.ts'
import { jobsByStage, queueDepth } from '../../../db/overview/across/counts/service-counts.ts'
import { callTotals, unitTotals } from '../../../db/overview/across/counts/usage-totals.ts'
import { within } from '../../../db/kernel/database.ts'
import { renderExtendedMetrics } from './facts/extended-metrics.ts'
import { bearerToken } from '../../kernel/guard/credentials.ts'
import { runsService } from '../../kernel/guard/identify.ts'
import { isFromThisMachine } from '../../kernel/request/this-machine.ts'
import { isSameSecret } from '../../kernel/guard/same-secret.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { defineRoute, type OverviewServices } from '../services.ts'

/** Time that the metrics page waits for the database, milliseconds. */
const METRICS_MS = 1000
const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8'

export const getMetricsRoute = defineRoute({
  method: 'get',
  path: '/metrics',
  limit: PROBES,
  operationId: 'getMetrics',
  group: 'health',
  summary: 'Prometheus metrics',
  description:
    'With a bearer gate configured, `Authorization: Bearer <token>` is required. Without one, only callers on the same machine get the page, unless the operator made it public. No label names a tenant. While the database is away, `svc_store_up` is 0 and the job counts are absent.',
  auth: 'public',
  scope: undefined,
  answers: { 200: rawAnswer('Text exposition format 0.0.4', EXPOSITION) },
  errors: ['invalid_metrics_bearer'],
}).handle(async ({ services, request }) => {
  const { metricsToken: expected, areMetricsPublic, trustedProxyHops } = services.settings
  const given = bearerToken(request.headers.authorization)
  if (expected !== undefined && !isSameSecret(expected, given ?? '')) {
    throw OVERVIEW_ERRORS.invalid_metrics_bearer('the metrics token is missing or wrong')
  }
  if (expected === undefined && !areMetricsPublic && (trustedProxyHops > 0 || !isFromThisMachine(request))) {
    throw OVERVIEW_ERRORS.invalid_metrics_bearer(
      'metrics are served to this machine only; the operator can set SVC_METRICS_TOKEN or SVC_METRICS_PUBLIC',
    )
  }
  await Promise.all([refreshJobs(services), refreshBases(services)])
  services.metrics.setStorage(services.storage.room(), services.spool.heldBytes())
  return { status: 200, raw: { kind: 'bytes', bytes: await services.metrics.registry.metrics() } }
})

export const getExtendedMetricsRoute = defineRoute({
  method: 'get',
  path: '/metrics/extended',
  operationId: 'getExtendedMetrics',
  group: 'health',
  summary: 'Show metrics of calls and usage, for a scraper',
  description:
    'Calls, latencies and units of the tenant; of all tenants for owners of a tenant that runs the service. Read from totals in the database, so counters never fall, whichever process answers. The last second may be missing.',
  auth: 'key',
  scope: 'metrics:read',
  namespace: 'refused',
  answers: { 200: rawAnswer('Text exposition format 0.0.4', EXPOSITION) },
}).handle(async ({ services, principal }) => {
  const { db, bases, settings } = services
  const isOperator = runsService(principal, settings)
  const tenantId = isOperator ? null : principal.tenantId
  const [calls, units, open] = await Promise.all([
    callTotals(db, tenantId),
    unitTotals(db, tenantId),
    isOperator ? bases.stats() : null,
  ])
  const waiting = open && [...open.values()].reduce((sum, base) => sum + base.waiting, 0)
  return { status: 200, raw: { kind: 'bytes', bytes: renderExtendedMetrics({ calls, units, waiting }) } }
})

/** Reads the job counts; while the database is away the page says so, and shows no counts instead of old ones. */
async function refreshJobs({ db, log, metrics }: OverviewServices): Promise<void> {
  try {
    const [stages, depth] = await within(METRICS_MS, Promise.all([jobsByStage(db), queueDepth(db)]))
    metrics.setJobs(stages, depth)
  } catch (error) {
    log.warn({ err: error }, 'the metrics page has no counts of jobs')
    metrics.forgetJobs()
  }
}

/** Asks the open bases; one that is too busy to answer in time leaves the page as it was. */
async function refreshBases({ bases, log, metrics }: OverviewServices): Promise<void> {
  try {
    metrics.setBases(await within(METRICS_MS, bases.stats()))
  } catch (error) {
    log.warn({ err: error }, 'the metrics page has no figures of the open bases')
  }
}

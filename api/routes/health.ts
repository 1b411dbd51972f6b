import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { LIBRARY_VERSION, RUNTIME_VERSION } from '../../core/compiler/runtime/version.ts'
import { DomainError } from '../../core/errors.ts'
import { JwkSet, toJwk } from '../../core/evidence/keys/jwk.ts'
import { sha256 } from '../../core/json.ts'
import { jobsByStage, queueDepth } from '../../db/counts/service-counts.ts'
import { within } from '../../db/database.ts'
import { bearerToken } from '../kernel/guard/credentials.ts'
import { bareDocument, rawAnswer } from '../kernel/reply/answers.ts'
import { defineRoute } from '../kernel/route.ts'
import { checkReadiness, isReady, type Readiness } from '../readiness.ts'
import type { ApiServices } from '../services.ts'

/** How long the metrics page waits for the database, milliseconds. */
const METRICS_MS = 1000

const Stats = z.object({
  concepts: z.int(),
  versions: z.int(),
  syntheses: z.int(),
  invocations: z.int(),
  tenants: z.int(),
})

const Liveness = z.object({
  ok: z.literal(true),
  status: z.literal('ok'),
  version: z.string().meta({ description: 'Version of what runs recipes; part of every receipt' }),
  library_version: z.string(),
  region: z.string(),
  uptime_s: z.int(),
  git: z.string(),
  gateway: z.string(),
  capture_store: z.string(),
  signing_key: z.string(),
  stats: Stats,
})

const Check = z.object({
  name: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  label: z.string(),
})

async function presentLiveness({ settings, counts, signingKeys }: ApiServices): Promise<z.input<typeof Liveness>> {
  const known = await counts.current()
  return {
    ok: true,
    status: 'ok',
    version: RUNTIME_VERSION,
    library_version: LIBRARY_VERSION,
    region: settings.region,
    uptime_s: Math.floor(process.uptime()),
    git: settings.git,
    gateway: 'disabled',
    capture_store: 'disabled',
    signing_key: signingKeys.all.length > 0 ? 'loaded' : 'missing',
    stats: {
      concepts: known?.concepts ?? 0,
      versions: known?.versions ?? 0,
      syntheses: known?.syntheses ?? 0,
      invocations: known?.invocations ?? 0,
      tenants: known?.tenants ?? 0,
    },
  }
}

export const getLivenessRoute = defineRoute({
  method: 'get',
  path: '/health',
  operationId: 'getLiveness',
  group: 'health',
  summary: 'Liveness: 200 while the process lives',
  description: 'Counts are at most a few seconds old, and stay as they were while the database is away.',
  auth: 'public',
  scope: undefined,
  answers: { 200: bareDocument('The process lives', Liveness) },
}).handle(async ({ services }) => ({ status: 200, body: await presentLiveness(services) }))

const presentChecks = (readiness: Readiness): z.input<typeof Check>[] =>
  readiness.checks.map(({ name, ok, required, label }) => ({ name, ok, required, label }))

const ReadinessView = z.object({
  status: z.enum(['ready', 'not_ready']),
  production_like: z.boolean(),
  checks: z.array(Check),
})

export const getReadinessRoute = defineRoute({
  method: 'get',
  path: '/ready',
  operationId: 'getReadiness',
  group: 'health',
  summary: 'Readiness: 503 as soon as a required check fails',
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

export const getHealthRoute = defineRoute({
  method: 'get',
  path: '/v1/health',
  operationId: 'getHealth',
  group: 'health',
  summary: 'Everything in /health, and which backends are available',
  auth: 'optional',
  scope: 'account:read',
  answers: {
    200: bareDocument(
      'The snapshot',
      Liveness.extend({
        production_like: z.boolean(),
        backends: z.record(z.string(), z.boolean()).meta({ description: 'Availability by name of the check' }),
        readiness: z.object({ status: z.enum(['ready', 'not_ready']), checks: z.array(Check) }),
      }),
    ),
  },
}).handle(async ({ services }) => {
  const [liveness, readiness] = await Promise.all([presentLiveness(services), checkReadiness(services)])
  return {
    status: 200,
    body: {
      ...liveness,
      production_like: services.settings.isProduction,
      backends: Object.fromEntries(readiness.checks.map(({ name, ok }) => [name, ok])),
      readiness: { status: isReady(readiness) ? 'ready' : 'not_ready', checks: presentChecks(readiness) },
    },
  }
})

export const getMetricsRoute = defineRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  group: 'health',
  summary: 'Prometheus metrics',
  description:
    'With a bearer gate configured, `Authorization: Bearer <token>` is required. Nothing names a tenant. While the database is away, `svc_store_up` is 0 and the job counts are absent.',
  auth: 'public',
  scope: undefined,
  answers: { 200: rawAnswer('Text exposition format 0.0.4', 'text/plain; version=0.0.4; charset=utf-8') },
  errors: ['invalid_metrics_bearer'],
}).handle(async ({ services, request }) => {
  const expected = services.settings.metricsToken
  const given = bearerToken(request.headers.authorization)
  if (expected !== undefined && !isSame(expected, given ?? '')) {
    throw new DomainError('invalid_metrics_bearer', 'the metrics token is missing or wrong')
  }
  await Promise.all([refreshJobs(services), refreshBases(services)])
  return { status: 200, raw: { kind: 'bytes', bytes: await services.metrics.registry.metrics() } }
})

/** Reads the job counts; while the database is away the page says so, and shows no counts instead of old ones. */
async function refreshJobs({ db, log, metrics }: ApiServices): Promise<void> {
  try {
    const [stages, depth] = await within(METRICS_MS, Promise.all([jobsByStage(db), queueDepth(db)]))
    metrics.setJobs(stages, depth)
  } catch (error) {
    log.warn({ err: error }, 'the metrics page has no counts of jobs')
    metrics.forgetJobs()
  }
}

/** Asks the open bases; one that is too busy to answer in time leaves the page as it was. */
async function refreshBases({ bases, log, metrics }: ApiServices): Promise<void> {
  try {
    metrics.setBases(await within(METRICS_MS, bases.stats()))
  } catch (error) {
    log.warn({ err: error }, 'the metrics page has no figures of the open bases')
  }
}

/** Compares without telling by its duration where two texts differ, whatever their lengths. */
function isSame(expected: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(expected)), Buffer.from(sha256(given)))
}

export const getJwksRoute = defineRoute({
  method: 'get',
  path: '/.well-known/jwks.json',
  operationId: 'getJwks',
  group: 'health',
  summary: 'Public keys that check what the service signs',
  description:
    'The current signing key first, then those before it, whose signatures stay valid. `kid` is the fingerprint.',
  auth: 'public',
  scope: undefined,
  answers: { 200: bareDocument('JWK set (RFC 7517, RFC 8037)', JwkSet) },
}).handle(async ({ services }) => {
  const { current, all } = services.signingKeys
  const keys = [current.publicKey, ...all.filter(({ kid }) => kid !== current.kid).map(({ publicKey }) => publicKey)]
  return { status: 200, body: { keys: keys.map(toJwk) }, headers: { 'Cache-Control': 'public, max-age=3600' } }
})

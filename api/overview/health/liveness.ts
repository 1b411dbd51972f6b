import { PROBES } from '../../kernel/guard/public-limits.ts'
import type { z } from 'zod'
import { LIBRARY_VERSION, RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { loadGateway } from '../../gateway/gateway-module.ts'
import { checkReadiness, isReady } from './facts/readiness.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { presentChecks } from './checks.ts'
import { GetHealthAnswer, LivenessView } from '../../../core/overview/wire/health/liveness.ts'
import { defineRoute, type OverviewServices } from '../services.ts'

async function presentLiveness({
  settings,
  counts,
  signingKeys,
  storage,
}: OverviewServices): Promise<z.input<typeof LivenessView>> {
  const [{ counts: known, isStoreAnswering }, gateway] = await Promise.all([counts.current(), loadGateway()])
  return {
    ok: true,
    status: 'ok',
    version: RUNTIME_VERSION,
    library_version: LIBRARY_VERSION,
    region: settings.region,
    uptime_s: Math.floor(process.uptime()),
    git: settings.git,
    gateway: gateway.isLoaded ? 'ok' : 'unavailable',
    capture_store: !isStoreAnswering ? 'unavailable' : storage.room().isLow ? 'full' : 'ok',
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
  limit: PROBES,
  operationId: 'getLiveness',
  group: 'health',
  summary: 'Check liveness: 200 while the process runs',
  description:
    'Counts are at most a few seconds old, and stay as they were while the database is away. Answers within a second or two, whatever the database does.',
  auth: 'public',
  scope: undefined,
  answers: { 200: bareDocument('The process lives', LivenessView) },
}).handle(async ({ services }) => ({ status: 200, body: await presentLiveness(services) }))

export const getHealthRoute = defineRoute({
  method: 'get',
  path: '/v1/health',
  limit: PROBES,
  operationId: 'getHealth',
  group: 'health',
  summary: 'Show the health of the service and its backends',
  auth: 'optional',
  scope: 'account:read',
  namespace: 'none: it shows the service, and nothing of a tenant',
  answers: {
    200: bareDocument('The snapshot', GetHealthAnswer),
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

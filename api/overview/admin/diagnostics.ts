import type { z } from 'zod'
import { LIBRARY_VERSION, RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { storeFacts } from '../../../db/overview/across/admin/store-facts.ts'
import { appliedMigrations } from '../../../db/overview/across/counts/applied-migrations.ts'
import { refusedEvents, type RefusedEvent } from '../../../db/billing/across/refused-events.ts'
import { countWaiting } from '../../../db/overview/across/counts/waiting.ts'
import { MIGRATIONS } from '../../../db/migrations/index.ts'
import { countSealedUnderOldKey } from '../../../db/ledger/across/rewrap-secrets.ts'
import { checkDeeply } from '../health/facts/deep-readiness.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { integrationsOf } from '../health/facts/product-readiness.ts'
import { pingTemporal } from '../../../temporal/client.ts'
import { lastHeard } from '../../../temporal/pollers.ts'
import {
  AdminGetDiagnosticsAnswer,
  AdminGetHealthAnswer,
  type CheckInDetail,
} from '../../../core/overview/wire/admin/diagnostics.ts'
import { defineRoute, type OverviewServices } from '../services.ts'

function presentConfiguration(services: OverviewServices): Record<string, boolean> {
  const { settings } = services
  return {
    ...Object.fromEntries(
      integrationsOf(services).map(({ name, isConfigured }) => [`${name}_configured`, isConfigured]),
    ),
    production: settings.isProduction,
    invite_only: settings.isInviteOnly,
    private_egress_allowed: settings.allowsPrivateEgress,
    old_master_keys_configured: settings.oldMasterKeys.length > 0,
    admin_tenants_configured: settings.adminTenants.size > 0,
    trusted_proxies_configured: settings.trustedProxyHops > 0,
  }
}

/** Number of refused payment events that are shown. */
const REFUSED_EVENTS_SHOWN = 10
/** Time limit for the answer of an external service, milliseconds. */
const PING_MS = 1000

async function presentDeepChecks(services: OverviewServices): Promise<z.input<typeof CheckInDetail>[]> {
  const checks = await checkDeeply(services)
  return checks.map(({ name, ok, required, label, latencyMs, detail }) => ({
    name,
    ok,
    required,
    label,
    latency_ms: latencyMs,
    detail,
  }))
}

export const getAdminHealthRoute = defineRoute({
  method: 'get',
  path: '/v1/admin/health',
  operationId: 'adminGetHealth',
  group: 'admin',
  summary: 'Show the state of the process that answers',
  auth: 'admin',
  scope: undefined,
  answers: {
    200: envelope('Now', AdminGetHealthAnswer),
  },
}).handle(async ({ services }) => {
  const checks = await presentDeepChecks(services)
  const memory = process.memoryUsage()
  return {
    status: 200,
    body: {
      now: services.now().toISOString(),
      region: services.settings.region,
      runtime_version: RUNTIME_VERSION,
      uptime_sec: Math.floor(process.uptime()),
      status: checks.every(({ ok, required }) => ok || !required) ? 'ready' : 'not_ready',
      checks,
      memory: { rss_bytes: memory.rss, heap_used_bytes: memory.heapUsed, external_bytes: memory.external },
      env: presentConfiguration(services),
    },
  }
})

export const getDiagnosticsRoute = defineRoute({
  method: 'get',
  path: '/v1/admin/diagnostics',
  operationId: 'adminGetDiagnostics',
  group: 'admin',
  summary: 'Show the systems that the service depends on',
  description: 'Creates nothing, and shows no path, no address, no secret and no length of one.',
  auth: 'admin',
  scope: undefined,
  answers: {
    200: envelope('Now', AdminGetDiagnosticsAnswer),
  },
}).handle(async ({ services }) => {
  const { db, settings, signingKeys, temporal } = services
  const [facts, applied, backlog, sealedUnderOldKey, refused, isReachable, queues] = await Promise.all([
    storeFacts(db),
    appliedMigrations(db),
    countWaiting(db, services.now()),
    countSealedUnderOldKey(db),
    refusedEvents(db, REFUSED_EVENTS_SHOWN),
    pingTemporal(temporal, PING_MS).then(
      () => true,
      () => false,
    ),
    Promise.all((['io', 'compile'] as const).map(async (name) => await heardFrom(services, name))),
  ])
  const names = new Set(applied.map(({ name }) => name))
  return {
    status: 200,
    body: {
      versions: {
        service: settings.version,
        git: settings.git,
        runtime: RUNTIME_VERSION,
        library: LIBRARY_VERSION,
        node: process.versions.node,
        postgres: facts.version,
      },
      migrations: {
        applied: [...names],
        missing: MIGRATIONS.filter(({ name }) => !names.has(name)).map(({ name }) => name),
      },
      store: {
        database_bytes: facts.sizeBytes,
        pool: { open: db.pool.totalCount, idle: db.pool.idleCount, waiting: db.pool.waitingCount },
      },
      workflow_engine: { reachable: isReachable },
      queues,
      backlog: { starts: backlog.starts, pokes: backlog.wakes, audit_lines: backlog.auditLines },
      payment_events: { refused: refused.total, latest: refused.latest.map(presentRefused) },
      signing_keys: signingKeys.all.length,
      sealed_under_old_key: sealedUnderOldKey,
      env: presentConfiguration(services),
    },
  }
})

function presentRefused({ id, type, reason, receivedAt, refusedAt, isKept }: RefusedEvent) {
  return {
    event_id: id,
    type,
    reason,
    received_at: receivedAt.toISOString(),
    refused_at: refusedAt.toISOString(),
    retryable: isKept,
  }
}

/** Returns seconds since a worker last polled the queue; null when no worker polls it or Temporal does not answer. */
async function heardFrom({ temporal, now }: OverviewServices, name: 'io' | 'compile') {
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PING_MS).unref())
  const heard = await Promise.race([lastHeard(temporal, name).catch(() => null), late])
  return {
    name,
    heard_s_ago: heard === null ? null : Math.max(Math.round((now().getTime() - heard.getTime()) / 1000), 0),
  }
}

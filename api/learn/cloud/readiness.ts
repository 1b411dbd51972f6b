import { readinessOf, type SlotReadiness } from '../../../core/learn/plans/cloud/readiness.ts'
import { ReadinessAnswer } from '../../../core/learn/wire/cloud/readiness.ts'
import { listSlotProbes } from '../../../db/learn/across/slot-probes.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type LearnServices } from '../services.ts'
import { probeSlots } from './probe-slots.ts'

const SAME = 'none: it is the same in every namespace'
const answers = { 200: envelope('What is ready, by the last probe of each slot', ReadinessAnswer) }

export const getReadinessOfCloudRoute = defineRoute({
  method: 'get',
  path: '/v1/cloud/readiness',
  operationId: 'getCloudReadiness',
  group: 'cloud',
  summary: 'Show what the service is connected to',
  description:
    'Each slot has the outcome and the time of its last probe. A variable that is set makes nothing ready; a probe that is older than 15 minutes is `stale`. `POST /v1/cloud/readiness` probes now.',
  auth: 'key',
  scope: 'cloud:read',
  namespace: SAME,
  answers,
}).handle(async ({ services }) => ({ status: 200, body: await present(services) }))

export const probeCloudRoute = defineRoute({
  method: 'post',
  path: '/v1/cloud/readiness',
  operationId: 'probeCloud',
  group: 'cloud',
  summary: 'Probe what the service is connected to',
  description:
    'Asks each slot for something that costs nothing, for three seconds at most, and records the outcome: the store, the workers of trainers, the keys of providers, the collector of telemetry, the providers of sign-in.',
  auth: 'key',
  scope: 'cloud:write',
  namespace: SAME,
  stores: 'bounded',
  limit: { name: 'cloud-probes', limit: 'cloud_probes_per_ip_minute', windowS: 60, counts: 'calls' },
  answers,
  errors: ['request_timeout'],
}).handle(async ({ services, hangUp }) => {
  await probeSlots(services, hangUp())
  return { status: 200, body: await present(services) }
})

async function present(services: Pick<LearnServices, 'db' | 'now'>) {
  const { slots, categories, profiles, blockers } = readinessOf(await listSlotProbes(services.db), services.now())
  const ready = slots.filter(({ state }) => state === 'ready')
  const isOk = !blockers.includes('no_artifact_storage_configured') && !blockers.includes(NO_COMPUTE)
  return {
    readiness: isOk ? ('ready' as const) : ('needs_configuration' as const),
    platform_matrix: {
      ok: isOk,
      missing: categories.filter((category) => category.ready.length === 0).map(({ id }) => id),
      counts: { ready: ready.length, total: slots.length },
    },
    cloud: {
      ok: categories.some(({ id, ready: of }) => id === 'hosted-gpu' && of.length > 0),
      categories: Object.fromEntries(
        categories.map(({ id, ready: of, total }) => [id, { configured: of.length, total, ids: [...of] }]),
      ),
      providers: slots.map(presentSlot),
    },
    profiles: profiles.map(({ id, ready: isReady, missing }) => ({
      id,
      configured: isReady,
      missing_sets: [...missing],
    })),
    blockers: [...blockers],
    secret_values_included: false as const,
  }
}

const NO_COMPUTE = 'no_cloud_or_remote_compute_configured'

function presentSlot({ slot, state, probe }: SlotReadiness) {
  return {
    id: slot.id,
    label: slot.label,
    category: slot.category,
    state,
    configured: state === 'ready',
    missing: state === 'not_configured' ? [...slot.settings] : [],
    setup_hint: slot.hint,
    last_probe:
      probe === null
        ? null
        : {
            at: probe.probedAt.toISOString(),
            ok: probe.isReady,
            outcome: probe.outcome,
            latency_ms: probe.latencyMs,
            last_ok_at: probe.readyAt?.toISOString() ?? null,
          },
  }
}

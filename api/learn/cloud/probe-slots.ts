import { hostname } from 'node:os'
import { GATEWAY_PROVIDERS } from '../../../core/gateway/calls/providers.ts'
import { checkKey, isReachable } from '../../../core/gateway/protocol/upstream/check-key.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { OAUTH_PROVIDER_IDS } from '../../../core/accounts/sign-in/oauth/provider.ts'
import { NOT_CONFIGURED, type SlotProbe } from '../../../core/learn/plans/cloud/readiness.ts'
import { PROBED_SLOTS, type ProbedSlot } from '../../../core/learn/plans/cloud/slots.ts'
import { pingDatabase } from '../../../db/kernel/database.ts'
import { recordSlotProbes } from '../../../db/learn/across/slot-probes.ts'
import { findTrainers } from '../find-trainers.ts'
import type { LearnServices } from '../services.ts'

/** Longest time of one probe, milliseconds. */
const PROBE_MS = 3000
const REACHED = 'reached'
const NO_WORKER = 'no_worker_listens'

/** Looks at a slot, and says `reached`, or in a machine word why not. */
type Probe = (services: LearnServices, signal: AbortSignal) => Promise<string>

const PROBES: Readonly<Record<ProbedSlot, Probe>> = {
  service_store: async ({ db, storage }) => {
    await pingDatabase(db, PROBE_MS)
    return storage.room().isLow ? 'storage_full' : REACHED
  },
  'local-cpu': async (services) => await trainerProbe(services, ({ kind }) => kind === 'embedded'),
  'local-cuda': async (services) =>
    await trainerProbe(services, ({ device, host }) => device === 'cuda' && host === hostname()),
  'remote-ssh': async (services) =>
    await trainerProbe(services, ({ device, host }) => device === 'cuda' && host !== hostname()),
  teacher: async ({ settings, upstream }, signal) => {
    const outcomes = await Promise.all(
      GATEWAY_PROVIDERS.flatMap((provider) => {
        const { apiKey, baseUrl = provider.baseUrl } = settings.upstreams[provider.id] ?? {}
        return apiKey === undefined ? [] : [checkKey(upstream, provider, { baseUrl, apiKey, signal })]
      }),
    )
    if (outcomes.some(({ isAccepted }) => isAccepted)) return REACHED
    return outcomes[0]?.error ?? NOT_CONFIGURED
  },
  otlp: async ({ settings: { telemetry }, upstream }, signal) => {
    if (telemetry === undefined) return NOT_CONFIGURED
    return (await isReachable(upstream, telemetry.endpoint, signal)) ? REACHED : 'transport_error'
  },
  sign_in: async ({ oauth, upstream, publicUrl }, signal) => {
    const providers = OAUTH_PROVIDER_IDS.flatMap((id) => oauth.find(id) ?? [])
    if (providers.length === 0) return NOT_CONFIGURED
    const reached = await Promise.all(
      providers.map(async (provider) => {
        const { url } = await provider.begin(publicUrl())
        return await isReachable(upstream, new URL(url).origin, signal)
      }),
    )
    return reached.some(Boolean) ? REACHED : 'transport_error'
  },
}

type Trainers = NonNullable<Awaited<ReturnType<typeof findTrainers>>>

async function trainerProbe(services: LearnServices, isIt: (trainer: Trainers[number]) => boolean): Promise<string> {
  const trainers = await findTrainers(services)
  if (trainers === null) return 'workflow_engine_unavailable'
  return trainers.some(isIt) ? REACHED : NO_WORKER
}

/** Probes every slot at once, each for three seconds at most, and records the outcomes. */
export async function probeSlots(services: LearnServices, hangUp: AbortSignal): Promise<void> {
  const probes = await Promise.all(PROBED_SLOTS.map(async (slot) => await probeSlot(services, slot, hangUp)))
  await recordSlotProbes(services.db, probes)
}

async function probeSlot(
  services: LearnServices,
  slot: ProbedSlot,
  hangUp: AbortSignal,
): Promise<Omit<SlotProbe, 'readyAt'>> {
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(PROBE_MS)
  const outcome = await PROBES[slot](services, AbortSignal.any([hangUp, timeout])).catch((error: unknown) => {
    hangUp.throwIfAborted()
    if (timeout.aborted) return 'timeout'
    return error instanceof DomainError ? error.code : 'failed'
  })
  const latencyMs = Math.round(performance.now() - startedAt)
  return { slot, isReady: outcome === REACHED, outcome, latencyMs, probedAt: services.now() }
}

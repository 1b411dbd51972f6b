import { hostname } from 'node:os'
import type { Lane } from '../../../core/compile/stages/rentals/lanes.ts'
import { ProviderFault, type ProviderFaultKind } from '../../../core/compile/stages/rentals/pod-provider.ts'
import { openProvider } from '../../../core/compile/stages/rentals/providers/open-provider.ts'
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

/** Outcomes by the kind of a fault of a provider of machines. */
const FAULTS = {
  unclear: 'transport_error',
  no_capacity: 'refused',
  unauthorized: 'unauthorized',
  refused: 'refused',
} as const satisfies Record<ProviderFaultKind, string>

/** Looks at a slot, and says `reached`, or in a machine word why not. */
type Probe = (services: LearnServices, signal: AbortSignal) => Promise<string>

/** Lists the machines of the operator's account: a call with the key that rents nothing. */
const rentalProbe =
  (lane: Lane): Probe =>
  async ({ settings: { rentals } }, signal) => {
    const settings = rentals.lanes[lane]
    if (settings.apiKey === undefined || rentals.image === undefined) return NOT_CONFIGURED
    const provider = openProvider(lane, settings, settings.apiKey)
    try {
      await provider.list(signal)
      return REACHED
    } finally {
      await provider.close()
    }
  }

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
  gpu_pods: rentalProbe('gpu_pods'),
  gpu_serverless: rentalProbe('gpu_serverless'),
  gpu_vm: rentalProbe('gpu_vm'),
  gpu_market: rentalProbe('gpu_market'),
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
    if (error instanceof ProviderFault) return FAULTS[error.kind]
    return error instanceof DomainError ? error.code : 'failed'
  })
  const latencyMs = Math.round(performance.now() - startedAt)
  return { slot, isReady: outcome === REACHED, outcome, latencyMs, probedAt: services.now() }
}

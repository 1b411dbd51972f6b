import { SLOT_CATEGORIES, SLOTS, type RecordedSlot } from './slots.ts'

/** The outcome of the last probe of a slot. */
export interface SlotProbe {
  readonly slot: RecordedSlot
  readonly isReady: boolean
  /** A machine word: `reached`, or why not. */
  readonly outcome: string
  readonly latencyMs: number
  readonly probedAt: Date
  /** When a probe last succeeded; null when none has. */
  readonly readyAt: Date | null
}

/** A slot that is not configured has this outcome. */
export const NOT_CONFIGURED = 'not_configured'

/** A probe says nothing of a slot any more after this time, milliseconds. */
const STALE_MS = 15 * 60_000

/** States of a slot. */
export const SLOT_STATES = ['ready', 'failed', 'not_configured', 'stale', 'never_probed', 'not_available'] as const

/** A slot with what its last probe says. */
export interface SlotReadiness {
  readonly slot: (typeof SLOTS)[number]
  readonly state: (typeof SLOT_STATES)[number]
  readonly probe: SlotProbe | null
}

/** Ways of using the service, each with the slots that it needs: one of each list. */
const PROFILES = {
  'local-private': [['service_store'], ['local-cpu', 'local-cuda', 'local-mlx']],
  'hosted-gpu-train': [['service_store'], ['gpu_pods', 'gpu_serverless', 'gpu_vm', 'gpu_market']],
  'managed-edge': [['service_store'], ['edge_workers', 'edge_functions']],
  'enterprise-byoc': [['service_store'], ['remote-ssh'], ['sign_in']],
  'app-storage': [['service_store']],
  'self-hosted': [['service_store'], ['remote-ssh', 'local-cuda']],
  'airgapped-enterprise': [['service_store'], ['local-cpu', 'local-cuda', 'local-mlx', 'remote-ssh']],
} as const satisfies Record<string, readonly (readonly string[])[]>

/** The state of each connection, by the last probes. */
export interface Readiness {
  readonly slots: readonly SlotReadiness[]
  readonly categories: readonly { readonly id: string; readonly ready: readonly string[]; readonly total: number }[]
  readonly profiles: readonly { readonly id: string; readonly ready: boolean; readonly missing: readonly string[] }[]
  readonly blockers: readonly string[]
}

/** Computes what is ready from the last probe of each slot: ready is what answered within the last 15 minutes. */
export function readinessOf(probes: readonly SlotProbe[], now: Date): Readiness {
  const bySlot = new Map(probes.map((probe) => [probe.slot, probe]))
  const slots = SLOTS.map((slot) => {
    const probe = slot.probe === null ? null : (bySlot.get(slot.probe) ?? null)
    return { slot, probe, state: stateOf(slot.probe !== null, probe, now) }
  })
  const ready = new Set(slots.filter(({ state }) => state === 'ready').map(({ slot }) => slot.id))
  const isReady = (category: string): boolean =>
    slots.some(({ slot }) => slot.category === category && ready.has(slot.id))
  return {
    slots,
    categories: SLOT_CATEGORIES.map((id) => {
      const of = slots.filter(({ slot }) => slot.category === id).map(({ slot }) => slot.id)
      return { id, ready: of.filter((slot) => ready.has(slot)), total: of.length }
    }),
    profiles: Object.entries(PROFILES).map(([id, sets]) => {
      const missing = sets.filter((set) => !set.some((slot) => ready.has(slot))).map((set) => set.join(' | '))
      return { id, ready: missing.length === 0, missing }
    }),
    blockers: [
      ...(isReady('artifact-storage') ? [] : ['no_artifact_storage_configured']),
      ...(isReady('hosted-gpu') || isReady('managed-train') ? [] : ['no_hosted_gpu_or_managed_train_configured']),
      ...(isReady('hosted-gpu') || isReady('self-hosted-compute') ? [] : ['no_cloud_or_remote_compute_configured']),
    ],
  }
}

function stateOf(isProbed: boolean, probe: SlotProbe | null, now: Date): SlotReadiness['state'] {
  if (!isProbed) return 'not_available'
  if (probe === null) return 'never_probed'
  if (now.getTime() - probe.probedAt.getTime() > STALE_MS) return 'stale'
  if (probe.isReady) return 'ready'
  return probe.outcome === NOT_CONFIGURED ? 'not_configured' : 'failed'
}

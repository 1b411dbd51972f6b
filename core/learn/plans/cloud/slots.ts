import { LANES as RENTED_LANES, type Lane as RentedLane } from '../../../compile/stages/rentals/lanes.ts'

/** Categories of what an installation is connected to. */
export const SLOT_CATEGORIES = [
  'artifact-storage',
  'hosted-gpu',
  'self-hosted-compute',
  'managed-train',
  'teacher-provider',
  'observability',
  'enterprise-identity',
] as const
type SlotCategory = (typeof SLOT_CATEGORIES)[number]

/** Slots that this service can probe. */
export const PROBED_SLOTS = [
  'service_store',
  'local-cpu',
  'local-cuda',
  'remote-ssh',
  ...RENTED_LANES,
  'teacher',
  'otlp',
  'sign_in',
] as const
/** Id of a slot that this service can probe. */
export type ProbedSlot = (typeof PROBED_SLOTS)[number]
/** Slots whose outcome is recorded: workers probe the sandbox for code themselves, when they start. */
export const RECORDED_SLOTS = [...PROBED_SLOTS, 'code_sandbox'] as const
/** Id of a slot whose outcome is recorded. */
export type RecordedSlot = (typeof RECORDED_SLOTS)[number]

/** A thing outside this process that the service may be connected to. */
interface Slot {
  readonly id: string
  readonly label: string
  readonly category: SlotCategory
  /** Null for a slot for which this service has no client. */
  readonly probe: ProbedSlot | null
  /** Variables of the operator that configure it. */
  readonly settings: readonly string[]
  readonly hint: string
}

const NO_CLIENT = 'this service has no client for it'

function absent(id: string, label: string, category: SlotCategory): Slot {
  return { id, label, category, probe: null, settings: [], hint: NO_CLIENT }
}

/** A slot of machines to rent, by the operator's key. */
function rented(id: RentedLane, label: string): Slot {
  const settings = ['SVC_RENTAL_IMAGE', `SVC_${id.toUpperCase()}_KEY`]
  const hint = 'set a key of the provider and the image of the trainer; tenants may store keys of their own'
  return { id, label, category: 'hosted-gpu', probe: id, settings, hint }
}

/** Every slot (reference: GET /v1/cloud/readiness). */
export const SLOTS: readonly Slot[] = [
  {
    id: 'service_store',
    label: 'The store of this service',
    category: 'artifact-storage',
    probe: 'service_store',
    settings: [],
    hint: 'give the database more room',
  },
  {
    id: 'local-cpu',
    label: 'CPU of this machine',
    category: 'self-hosted-compute',
    probe: 'local-cpu',
    settings: [],
    hint: 'start a worker: svc up',
  },
  {
    id: 'local-cuda',
    label: 'NVIDIA GPU of this machine',
    category: 'self-hosted-compute',
    probe: 'local-cuda',
    settings: [],
    hint: 'start the trainer of workers/trainer on this machine',
  },
  absent('local-mlx', 'Apple GPU of this machine', 'self-hosted-compute'),
  {
    id: 'remote-ssh',
    label: 'Own machine with a GPU',
    category: 'self-hosted-compute',
    probe: 'remote-ssh',
    settings: [],
    hint: 'start the trainer of workers/trainer on that machine',
  },
  rented('gpu_pods', 'Rented pods'),
  rented('gpu_serverless', 'Rented container jobs'),
  rented('gpu_vm', 'Rented machines'),
  rented('gpu_market', 'Machines of a marketplace'),
  absent('finetune_managed', 'Managed fits', 'managed-train'),
  absent('cloud_train', 'Jobs in an enterprise cloud', 'managed-train'),
  {
    id: 'teacher',
    label: "The operator's keys at model providers",
    category: 'teacher-provider',
    probe: 'teacher',
    settings: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'],
    hint: 'set a key of a provider; svc gateway providers lists them',
  },
  {
    id: 'otlp',
    label: 'A collector of OpenTelemetry',
    category: 'observability',
    probe: 'otlp',
    settings: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    hint: 'set the address of the collector',
  },
  {
    id: 'sign_in',
    label: 'Sign-in by Google or GitHub',
    category: 'enterprise-identity',
    probe: 'sign_in',
    settings: ['SVC_OAUTH_GOOGLE_CLIENT_ID', 'SVC_OAUTH_GITHUB_CLIENT_ID'],
    hint: 'register the service with a provider of sign-in',
  },
]

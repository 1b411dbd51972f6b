import { PRIVACY_MODES, type PrivacyMode } from '../strategy/catalog.ts'

/** Name and version of the broker's form. */
export const BROKER_SPEC = 'svc-cloud-compute-broker/1'

/** Work that a lane is chosen for. */
export const WORKLOADS = ['train', 'distill', 'compile', 'quantize', 'inference', 'serve'] as const
/** Work that a lane is chosen for. */
export type Workload = (typeof WORKLOADS)[number]

/** A place that computes. */
export interface Lane {
  readonly id: string
  readonly label: string
  readonly category: string
  readonly execution:
    | 'local'
    | 'self_hosted'
    | 'hosted_gpu'
    | 'managed_training'
    | 'customer_cloud'
    | 'managed_inference'
    | 'edge_runtime'
  /** Largest model, in thousand millions of parameters. */
  readonly maxParamsB: number
  /** 1 is the cheapest. */
  readonly costRank: number
  /** 1 is the fastest. */
  readonly latencyRank: number
  readonly privacy: readonly PrivacyMode[]
  /** Work that such a place can do. */
  readonly workloads: readonly Workload[]
  /** Those of them that this service runs there. */
  readonly runsHere: readonly Workload[]
  readonly strengths: readonly string[]
  readonly caveats: readonly string[]
}

const REMOTE: readonly PrivacyMode[] = ['standard', 'zero_retention']
const GPU = { maxParamsB: 70, workloads: WORKLOADS, runsHere: [], strengths: [], caveats: [] } as const
const RENTED = { ...GPU, privacy: REMOTE, execution: 'hosted_gpu', caveats: ['rows leave this network'] } as const
/** `POST /v1/compile/cloud` fits adapters on these. */
const GPU_FOR_RENT = { ...RENTED, runsHere: ['train', 'compile'] } as const
const EDGE = {
  category: 'edge-runtime',
  execution: 'edge_runtime',
  maxParamsB: 3,
  latencyRank: 1,
  privacy: REMOTE,
  workloads: ['inference', 'serve'],
  runsHere: [],
  strengths: ['close to callers'],
  caveats: ['small models only'],
} as const satisfies Partial<Lane>

/** Every lane (reference: GET /v1/cloud/broker/catalog). Work outside `runsHere` is never recommended. */
export const LANES: readonly Lane[] = [
  {
    ...GPU,
    id: 'local-cuda',
    label: 'NVIDIA GPU of this machine',
    category: 'local-gpu',
    execution: 'local',
    costRank: 1,
    latencyRank: 2,
    privacy: PRIVACY_MODES,
    runsHere: ['train', 'distill', 'compile'],
    strengths: ['rows stay on this machine'],
  },
  {
    ...GPU,
    id: 'local-mlx',
    label: 'Apple GPU of this machine',
    category: 'local-npu',
    execution: 'local',
    maxParamsB: 13,
    costRank: 1,
    latencyRank: 3,
    privacy: PRIVACY_MODES,
    strengths: ['rows stay on this machine'],
  },
  {
    id: 'local-cpu',
    label: 'CPU of this machine',
    category: 'local-cpu',
    execution: 'local',
    maxParamsB: 0.5,
    costRank: 1,
    latencyRank: 8,
    privacy: PRIVACY_MODES,
    workloads: ['compile', 'inference', 'serve'],
    runsHere: ['compile', 'inference', 'serve'],
    strengths: ['rows stay on this machine', 'needs no setup'],
    caveats: ['a compile fits adapters of small bases only'],
  },
  {
    ...GPU,
    id: 'remote-ssh',
    label: 'Own machine with a GPU, on which the trainer runs',
    category: 'self-hosted-gpu',
    execution: 'self_hosted',
    costRank: 2,
    latencyRank: 3,
    privacy: PRIVACY_MODES,
    runsHere: ['train', 'distill', 'compile'],
    strengths: ['rows stay on own machines'],
  },
  {
    ...GPU_FOR_RENT,
    id: 'gpu_pods',
    label: 'Rented pods by the hour',
    category: 'rented-gpu',
    costRank: 2,
    latencyRank: 4,
  },
  {
    ...GPU_FOR_RENT,
    id: 'gpu_serverless',
    label: 'Rented container jobs',
    category: 'serverless-gpu',
    costRank: 3,
    latencyRank: 2,
    workloads: ['train', 'distill', 'compile', 'quantize', 'inference'],
  },
  { ...GPU_FOR_RENT, id: 'gpu_vm', label: 'Rented machines', category: 'rented-gpu', costRank: 4, latencyRank: 5 },
  {
    ...GPU_FOR_RENT,
    id: 'gpu_market',
    label: 'Machines of a marketplace',
    category: 'rented-gpu',
    costRank: 2,
    latencyRank: 5,
  },
  {
    ...RENTED,
    id: 'finetune_managed',
    label: 'Managed fits by the token',
    category: 'managed-training',
    execution: 'managed_training',
    maxParamsB: 72,
    costRank: 3,
    latencyRank: 2,
    workloads: ['train', 'distill', 'compile'],
  },
  {
    ...GPU,
    id: 'cloud_train',
    label: 'Jobs in an enterprise cloud',
    category: 'enterprise-cloud',
    execution: 'customer_cloud',
    costRank: 5,
    latencyRank: 5,
    privacy: ['standard', 'regulated', 'zero_retention'],
  },
  {
    ...RENTED,
    id: 'wafer_inference',
    label: 'Managed inference on wafers',
    category: 'managed-inference',
    execution: 'managed_inference',
    maxParamsB: 480,
    costRank: 3,
    latencyRank: 1,
    workloads: ['inference', 'serve'],
  },
  { ...EDGE, id: 'edge_workers', label: 'Workers at the edge', costRank: 2 },
  { ...EDGE, id: 'edge_functions', label: 'Functions at the edge', costRank: 3 },
]

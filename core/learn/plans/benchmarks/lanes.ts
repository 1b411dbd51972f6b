/** Name and version of the matrix of benchmark evidence. */
export const MATRIX_SPEC = 'svc-provider-benchmark-matrix-1' as const

/** Forms of a field of a lane. */
export type FieldForm = 'hash' | 'score' | 'number' | 'text'

/** A way of answering that evidence has to cover, with its required fields. */
export interface EvidenceLane {
  readonly id: string
  readonly label: string
  readonly fields: Readonly<Record<string, FieldForm>>
}

const API = {
  provider_model: 'text',
  pricing_snapshot: 'text',
  latency_p50_ms: 'number',
  latency_p95_ms: 'number',
  quality_score: 'score',
  raw_output_hash: 'hash',
} as const satisfies Record<string, FieldForm>

/** Id of the lane of the tenant's own artifact. */
export const OWN_LANE = 'own_artifact'

/** The lanes (reference: GET /v1/eval/benchmark-evidence). */
export const EVIDENCE_LANES: readonly EvidenceLane[] = [
  {
    id: OWN_LANE,
    label: 'An artifact of this service',
    fields: {
      artifact_hash: 'hash',
      k_score: 'score',
      latency_p50_ms: 'number',
      latency_p95_ms: 'number',
      cost_usd_per_1k: 'number',
      size_bytes: 'number',
      receipt_hash: 'hash',
      hardware_profile: 'text',
    },
  },
  { id: 'api_baseline_1', label: 'A first model of a provider', fields: API },
  { id: 'api_baseline_2', label: 'A second model of a provider', fields: API },
  { id: 'api_baseline_3', label: 'A third model of a provider', fields: API },
  { id: 'hosted_open_model', label: 'An open model that is hosted', fields: { ...API, accelerator: 'text' } },
  {
    id: 'local_gguf',
    label: 'A GGUF file on this machine',
    fields: {
      model_file_hash: 'hash',
      runtime_version: 'text',
      hardware_profile: 'text',
      latency_p50_ms: 'number',
      quality_score: 'score',
      joules_per_call: 'number',
    },
  },
  {
    id: 'browser_worker',
    label: 'A worker of a browser',
    fields: {
      bundle_hash: 'hash',
      browser_engine: 'text',
      device_profile: 'text',
      latency_p50_ms: 'number',
      quality_score: 'score',
    },
  },
]

/** Returns the path under which the report of a lane is published. */
export function reportPath(lane: string): string {
  return `reports/benchmarks/${lane}.json`
}

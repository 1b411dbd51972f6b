/** Families of actions. */
export const ACTION_FAMILIES = [
  'data',
  'no-train',
  'routing',
  'training',
  'compute',
  'compile',
  'quantization',
  'runtime',
  'guardrail',
] as const

/** An action that advice may name. */
export interface StrategyAction {
  readonly id: string
  readonly family: (typeof ACTION_FAMILIES)[number]
  readonly title: string
  /** Situation in which it is recommended. */
  readonly when: string
  /** Evidence that the action succeeded. */
  readonly proof: readonly string[]
}

const DATA_PROOF = ['input_trace_hash', 'train_hash', 'holdout_hash'] as const

/** All actions, in the order of the public vocabulary. */
export const ACTIONS = {
  collect_more_real_pairs: {
    id: 'collect_more_real_pairs',
    family: 'data',
    title: 'Collect more real pairs',
    when: 'there are fewer than 50 real pairs or fewer than 10 held out',
    proof: DATA_PROOF,
  },
  prompt_rag_rule_cache_first: {
    id: 'prompt_rag_rule_cache_first',
    family: 'no-train',
    title: 'Answer with rules and a cache first',
    when: 'inputs repeat often, or the task is redaction, classification or extraction',
    proof: ['input_trace_hash', 'k_score_interval'],
  },
  provider_route_fallback: {
    id: 'provider_route_fallback',
    family: 'routing',
    title: 'Route hard cases to a provider',
    when: 'a provider key is configured and data may leave the network',
    proof: ['privacy_mode', 'compute_plan'],
  },
  distill_or_train: {
    id: 'distill_or_train',
    family: 'training',
    title: 'Train an adapter',
    when: 'there are at least 50 real pairs, 10 of them held out, and the task needs training',
    proof: [...DATA_PROOF, 'k_score_interval'],
  },
  cloud_compute_plan: {
    id: 'cloud_compute_plan',
    family: 'compute',
    title: 'Rent a GPU for training',
    when: 'training is due and there is no GPU at hand',
    proof: ['compute_plan', 'privacy_mode'],
  },
  compile_signed_artifact: {
    id: 'compile_signed_artifact',
    family: 'compile',
    title: 'Compile the pairs into a signed artifact',
    when: 'there are enough pairs to hold some out',
    proof: [...DATA_PROOF, 'k_score_interval', 'artifact_signature'],
  },
  quantize_runtime_target: {
    id: 'quantize_runtime_target',
    family: 'quantization',
    title: 'Quantize weights for the runtime',
    when: 'an artifact with model weights exists',
    proof: ['k_score_interval', 'artifact_signature'],
  },
  run_existing_artifact_locally: {
    id: 'run_existing_artifact_locally',
    family: 'runtime',
    title: 'Run the artifact that exists',
    when: 'an artifact for the task exists',
    proof: ['artifact_signature'],
  },
  do_not_train_yet: {
    id: 'do_not_train_yet',
    family: 'guardrail',
    title: 'Do not train yet',
    when: 'the pairs are too few, or too few are held out, to tell whether training helped',
    proof: ['holdout_hash', 'k_score_interval'],
  },
} as const satisfies Record<string, StrategyAction>

/** Id of an action. */
export type ActionId = keyof typeof ACTIONS

/** Everything that the trained weights depend on, besides the generators of text. */
export const SETTINGS = {
  seed: 4,
  /** Optimizer steps of the whole run. */
  steps: 8000,
  shape: { bins: 8, length: 256 },
  /** Steps over which the learning rates rise. */
  warmupSteps: 60,
  /** The share of all steps, at the end, over which they fall to zero in a straight line. */
  decayShare: 0.7,
  /** For the matrices of the hidden layers. */
  muon: { learningRate: 0.02, weightDecay: 0.01 },
  /** For the embeddings and norms. */
  adamw: { learningRate: 3e-3, weightDecay: 0.1, beta1: 0.9, beta2: 0.95, epsilon: 1e-8 },
} as const

/** Length of a run. */
export interface Schedule {
  readonly steps: number
  readonly decayShare: number
}

/** The content of `config.json`. */
export const BASE_CONFIG = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: 1536,
  hidden_size: 256,
  intermediate_size: 688,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 64,
  hidden_act: 'silu',
  max_position_embeddings: 512,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
  rope_scaling: null,
  attention_bias: false,
  mlp_bias: false,
  tie_word_embeddings: true,
  initializer_range: 0.02,
  bos_token_id: null,
  eos_token_id: 0,
  pad_token_id: 3,
  torch_dtype: 'bfloat16',
  use_cache: true,
} as const

/** The content of `generation_config.json`. */
export const GENERATION_CONFIG = { bos_token_id: null, eos_token_id: 0, pad_token_id: 3, do_sample: false } as const

/**
 * Returns the learning rate factor of a step, counted from 0: it rises, stays at 1, and falls to zero at the end. Until
 * the fall begins it does not depend on the number of steps, so a stopped run can be extended.
 */
export function learningRateFactor(step: number, { steps, decayShare }: Schedule): number {
  const decaySteps = Math.round(steps * decayShare)
  return Math.min(1, (step + 1) / SETTINGS.warmupSteps, (steps - step) / decaySteps)
}

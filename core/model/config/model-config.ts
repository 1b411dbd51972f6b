/** The kinds of decoder that are computed here. SmolLM2 is a `llama`. */
export type ModelFamily = 'llama' | 'qwen2' | 'qwen3' | 'qwen3_moe'

/**
 * Scaling of the rotary embedding's frequencies beyond the base's training context: `linear` divides them by `factor`;
 * `llama3` divides the low ones and blends those in between (Llama 3.1's `rope_type`, as in transformers'
 * `modeling_rope_utils`).
 */
export type RopeScaling =
  | { readonly type: 'none' }
  | { readonly type: 'linear'; readonly factor: number }
  | {
      readonly type: 'llama3'
      readonly factor: number
      readonly lowFreqFactor: number
      readonly highFreqFactor: number
      readonly originalContext: number
    }

/** The experts of a mixture: in sparse layers a router sends each token to a few of them. */
export interface ExpertsConfig {
  readonly count: number
  /** Experts of each token. */
  readonly perToken: number
  readonly intermediateSize: number
  /** True when the shares of a token's experts are divided by their sum. */
  readonly normalizesShares: boolean
  /** Numbers of the layers that have experts; the others have one MLP. */
  readonly layers: readonly number[]
}

/** Architecture of a decoder-only base, from its `config.json`. Sizes count elements. */
export interface ModelConfig {
  readonly family: ModelFamily
  /** `architectures[0]` of config.json. */
  readonly architecture: string
  readonly vocabSize: number
  readonly hiddenSize: number
  readonly layers: number
  readonly heads: number
  /** Heads of keys and values; divides `heads`. */
  readonly kvHeads: number
  readonly headDim: number
  readonly intermediateSize: number
  /** The longest sequence, in tokens. */
  readonly contextLength: number
  readonly normEpsilon: number
  readonly ropeTheta: number
  readonly ropeScaling: RopeScaling
  /** True when the projections of queries, keys and values have a bias. */
  readonly qkvBias: boolean
  /** True when the output projection of the attention has a bias. */
  readonly outputBias: boolean
  readonly mlpBias: boolean
  /** True when queries and keys are normalised for each head before the rotary embedding (Qwen3). */
  readonly qkNorm: boolean
  /** True when the output head is the embedding matrix. */
  readonly tiedEmbeddings: boolean
  readonly bosTokenId: number | null
  /** Any of them ends a generation; empty when the base names none. */
  readonly eosTokenIds: readonly number[]
  readonly padTokenId: number | null
  /** Absent in dense bases. */
  readonly experts?: ExpertsConfig
}

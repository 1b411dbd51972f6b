/** The sizes of a decoder that its memory depends on. */
export interface KnownModel {
  readonly layers: number
  readonly hidden: number
  readonly intermediate: number
  readonly heads: number
  readonly kvHeads: number
  readonly headDim: number
  readonly vocab: number
  /** True when the output head is the embedding matrix. */
  readonly tied: boolean
  /** Parameters of the attention beside its four matrices: biases of q, k and v, or norms of q and k. */
  readonly extras: 'none' | 'qkv-bias' | 'qk-norm'
}

type Row = readonly [
  layers: number,
  hidden: number,
  intermediate: number,
  heads: number,
  kvHeads: number,
  headDim: number,
  vocab: number,
  tied: boolean,
  extras: KnownModel['extras'],
]

/** Published `config.json` values, by the name without its publisher and without `-instruct` and the like. */
const ROWS: Readonly<Record<string, Row>> = {
  'smollm2-135m': [30, 576, 1536, 9, 3, 64, 49_152, true, 'none'],
  'smollm2-360m': [32, 960, 2560, 15, 5, 64, 49_152, true, 'none'],
  'smollm2-1.7b': [24, 2048, 8192, 32, 32, 64, 49_152, true, 'none'],
  'tinyllama-1.1b': [22, 2048, 5632, 32, 4, 64, 32_000, false, 'none'],
  'llama-2-7b': [32, 4096, 11_008, 32, 32, 128, 32_000, false, 'none'],
  'llama-2-13b': [40, 5120, 13_824, 40, 40, 128, 32_000, false, 'none'],
  'llama-3-8b': [32, 4096, 14_336, 32, 8, 128, 128_256, false, 'none'],
  'llama-3.1-8b': [32, 4096, 14_336, 32, 8, 128, 128_256, false, 'none'],
  'llama-3.1-70b': [80, 8192, 28_672, 64, 8, 128, 128_256, false, 'none'],
  'llama-3.2-1b': [16, 2048, 8192, 32, 8, 64, 128_256, true, 'none'],
  'llama-3.2-3b': [28, 3072, 8192, 24, 8, 128, 128_256, true, 'none'],
  'llama-3.3-70b': [80, 8192, 28_672, 64, 8, 128, 128_256, false, 'none'],
  'mistral-7b': [32, 4096, 14_336, 32, 8, 128, 32_768, false, 'none'],
  'qwen2.5-0.5b': [24, 896, 4864, 14, 2, 64, 151_936, true, 'qkv-bias'],
  'qwen2.5-1.5b': [28, 1536, 8960, 12, 2, 128, 151_936, true, 'qkv-bias'],
  'qwen2.5-3b': [36, 2048, 11_008, 16, 2, 128, 151_936, true, 'qkv-bias'],
  'qwen2.5-7b': [28, 3584, 18_944, 28, 4, 128, 152_064, false, 'qkv-bias'],
  'qwen2.5-14b': [48, 5120, 13_824, 40, 8, 128, 152_064, false, 'qkv-bias'],
  'qwen2.5-32b': [64, 5120, 27_648, 40, 8, 128, 152_064, false, 'qkv-bias'],
  'qwen2.5-72b': [80, 8192, 29_568, 64, 8, 128, 152_064, false, 'qkv-bias'],
  'qwen3-0.6b': [28, 1024, 3072, 16, 8, 128, 151_936, true, 'qk-norm'],
  'qwen3-1.7b': [28, 2048, 6144, 16, 8, 128, 151_936, true, 'qk-norm'],
  'qwen3-4b': [36, 2560, 9728, 32, 8, 128, 151_936, true, 'qk-norm'],
  'qwen3-8b': [36, 4096, 12_288, 32, 8, 128, 151_936, false, 'qk-norm'],
  'qwen3-14b': [40, 5120, 17_408, 40, 8, 128, 151_936, false, 'qk-norm'],
  'qwen3-32b': [64, 5120, 25_600, 64, 8, 128, 151_936, false, 'qk-norm'],
}

/** Names of the models whose sizes are known. */
export const KNOWN_MODELS: readonly string[] = Object.keys(ROWS)

/**
 * Returns the sizes of a published model; undefined for an unknown one. Ignores its publisher, `Meta-`, and suffixes of
 * its tuning (`-Instruct`, `-Chat`, `-Base`, `-it`, a version).
 */
export function findKnownModel(name: string): KnownModel | undefined {
  const bare = name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^meta-/, '')
    .replace(/-(instruct|chat|base|it|hf)(?=-|$).*$/, '')
    .replace(/-v\d+(\.\d+)*$/, '')
  const row = ROWS[bare]
  if (row === undefined) return undefined
  const [layers, hidden, intermediate, heads, kvHeads, headDim, vocab, tied, extras] = row
  return { layers, hidden, intermediate, heads, kvHeads, headDim, vocab, tied, extras }
}

/** Number of parameters: embedding, head, and for each layer four attention matrices, three of the MLP, and norms. */
export function parametersOf(model: KnownModel): number {
  const { layers, hidden, intermediate, heads, kvHeads, headDim, vocab, tied, extras } = model
  const queries = heads * headDim
  const keys = kvHeads * headDim
  const attention = 2 * hidden * queries + 2 * hidden * keys
  const extra = { none: 0, 'qkv-bias': queries + 2 * keys, 'qk-norm': 2 * headDim }[extras]
  const layer = attention + 3 * hidden * intermediate + 2 * hidden + extra
  return vocab * hidden * (tied ? 1 : 2) + layers * layer + hidden
}

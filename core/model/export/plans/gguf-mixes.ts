import type { ModelConfig } from '../../config/model-config.ts'

/** ggml's block formats: elements of a block, and bytes that it takes (ggml-common.h). */
const BLOCKS: Readonly<Record<string, readonly [elements: number, bytes: number]>> = {
  F32: [1, 4],
  F16: [1, 2],
  BF16: [1, 2],
  Q4_0: [32, 18],
  Q5_0: [32, 22],
  Q5_1: [32, 24],
  Q8_0: [32, 34],
  Q2_K: [256, 84],
  Q3_K: [256, 110],
  Q4_K: [256, 144],
  Q5_K: [256, 176],
  Q6_K: [256, 210],
  IQ1_S: [256, 50],
  IQ1_M: [256, 56],
  IQ2_XXS: [256, 66],
  IQ2_XS: [256, 74],
  IQ2_S: [256, 82],
  IQ3_XXS: [256, 98],
  IQ3_S: [256, 110],
  IQ4_NL: [32, 18],
  IQ4_XS: [256, 136],
}

/** Storage of rows that are not a whole number of blocks of 256 (llama-quant.cpp). */
const FALLBACKS: Readonly<Record<string, string>> = { Q4_K: 'Q5_0', Q5_K: 'Q5_1', Q6_K: 'Q8_0' }

/** The levels that `llama-quantize` knows, with the format of most tensors. */
export const GGUF_LEVELS = {
  F32: 'F32',
  F16: 'F16',
  BF16: 'BF16',
  Q8_0: 'Q8_0',
  Q6_K: 'Q6_K',
  Q5_K_M: 'Q5_K',
  Q5_K_S: 'Q5_K',
  Q5_0: 'Q5_0',
  Q4_K_M: 'Q4_K',
  Q4_K_S: 'Q4_K',
  Q4_0: 'Q4_0',
  Q3_K_L: 'Q3_K',
  Q3_K_M: 'Q3_K',
  Q3_K_S: 'Q3_K',
  Q2_K: 'Q2_K',
  IQ4_NL: 'IQ4_NL',
  IQ4_XS: 'IQ4_XS',
  IQ3_S: 'IQ3_S',
  IQ3_XXS: 'IQ3_XXS',
  IQ2_S: 'IQ2_S',
  IQ2_XS: 'IQ2_XS',
  IQ2_XXS: 'IQ2_XXS',
  IQ1_M: 'IQ1_M',
  IQ1_S: 'IQ1_S',
} as const
/** One of them. */
export type GgufLevel = keyof typeof GGUF_LEVELS

/** True when the text names a level. */
export function isGgufLevel(text: string): text is GgufLevel {
  return Object.hasOwn(GGUF_LEVELS, text)
}

/** True for levels that need an importance matrix from calibration texts. */
export function needsImportanceMatrix(level: GgufLevel): boolean {
  return level.startsWith('IQ')
}

/** Bytes of one weight at a level: the format that llama.cpp's mix gives it, with its fallback for odd rows. */
export function ggufBytes(config: ModelConfig, level: GgufLevel, name: string, shape: readonly number[]): number {
  const elements = shape.reduce((product, size) => product * size, 1)
  if (shape.length < 2) return elements * 4
  const format = formatOf(config, level, name)
  const [block, bytes] = BLOCKS[format] ?? [1, 4]
  const row = shape.at(-1) ?? 1
  if (row % block === 0) return (elements / block) * bytes
  const [smaller, smallerBytes] = BLOCKS[FALLBACKS[format] ?? 'IQ4_NL'] ?? [1, 2]
  return row % smaller === 0 ? (elements / smaller) * smallerBytes : elements * 2
}

/** The format of a weight in llama.cpp's mixes (`llama_tensor_get_type`); the importance-matrix mixes are simplified. */
function formatOf(config: ModelConfig, level: GgufLevel, name: string): string {
  const plain = GGUF_LEVELS[level]
  const isHead = name === 'lm_head.weight' || (config.tiedEmbeddings && name === 'model.embed_tokens.weight')
  if (isHead) return /^(F|BF|Q8)/.test(plain) ? plain : 'Q6_K'
  const [, index = '', part = ''] = /^model\.layers\.(\d+)\.\w+\.(\w+)\.weight$/.exec(name) ?? []
  const layer = Number(index)
  const { layers } = config
  const isEdge = layer < layers / 8 || layer >= (7 * layers) / 8 || (layer - Math.floor(layers / 8)) % 3 === 2
  switch (level) {
    case 'Q4_K_M':
    case 'Q5_K_M':
      return (part === 'v_proj' || part === 'down_proj') && isEdge ? 'Q6_K' : plain
    case 'Q4_K_S':
      return (part === 'v_proj' && layer < 4) || (part === 'down_proj' && layer < layers / 8) ? 'Q5_K' : plain
    case 'Q3_K_L':
      return part === 'v_proj' || part === 'down_proj' || part === 'o_proj' ? 'Q5_K' : plain
    case 'Q3_K_M':
      if (part === 'o_proj') return 'Q4_K'
      if (part === 'v_proj') return layer < 2 ? 'Q5_K' : 'Q4_K'
      if (part === 'down_proj') return layer < layers / 16 ? 'Q5_K' : 'Q4_K'
      return plain
    case 'Q2_K':
      if (part === 'v_proj') return config.heads / config.kvHeads >= 4 ? 'Q4_K' : 'Q3_K'
      return part === 'down_proj' || part === 'o_proj' ? 'Q3_K' : plain
    default:
      return plain
  }
}

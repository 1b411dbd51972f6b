import type { ModelConfig } from '../../config/model-config.ts'
import type { GgmlType, GgufMetadata, GgufValue } from './container.ts'

/** `general.file_type`: the storage type of most tensors (llama.h, `llama_ftype`). */
const FILE_TYPES: Readonly<Record<GgmlType, number>> = { F32: 0, F16: 1, Q8_0: 7 }
/** Version of ggml's quantised formats. */
const QUANTIZATION_VERSION = 2

/** The sizes of a model under the keys of its architecture (ggml, docs/gguf.md, section "LLM"). */
export function modelMetadata(input: {
  readonly name: string
  readonly config: ModelConfig
  readonly type: GgmlType
}): GgufMetadata {
  const { name, config, type } = input
  const key = (suffix: string): string => `${config.family}.${suffix}`
  return [
    ['general.architecture', text(config.family)],
    ['general.type', text('model')],
    ['general.name', text(name)],
    ['general.file_type', count(FILE_TYPES[type])],
    ['general.quantization_version', count(QUANTIZATION_VERSION)],
    [key('vocab_size'), count(config.vocabSize)],
    [key('context_length'), count(config.contextLength)],
    [key('embedding_length'), count(config.hiddenSize)],
    [key('block_count'), count(config.layers)],
    [key('feed_forward_length'), count(config.intermediateSize)],
    [key('attention.head_count'), count(config.heads)],
    [key('attention.head_count_kv'), count(config.kvHeads)],
    [key('attention.key_length'), count(config.headDim)],
    [key('attention.value_length'), count(config.headDim)],
    [key('attention.layer_norm_rms_epsilon'), real(config.normEpsilon)],
    [key('rope.dimension_count'), count(config.headDim)],
    [key('rope.freq_base'), real(config.ropeTheta)],
    ...(config.ropeScaling.type === 'linear'
      ? ([
          [key('rope.scaling.type'), text('linear')],
          [key('rope.scaling.factor'), real(config.ropeScaling.factor)],
        ] as const)
      : []),
  ]
}

/**
 * Returns the divisors that llama.cpp applies to each rotary frequency for Llama 3.1's scaling, `[headDim / 2]`: 1 for
 * wavelengths below `originalContext / highFreqFactor`, `factor` above `originalContext / lowFreqFactor`, a blend
 * between (`generate_extra_tensors` of convert_hf_to_gguf.py). Null for every other scaling.
 */
export function ropeFactors(config: ModelConfig): Float32Array | null {
  const { ropeScaling: scaling, headDim, ropeTheta } = config
  if (scaling.type !== 'llama3') return null
  const { factor, lowFreqFactor, highFreqFactor, originalContext } = scaling
  return Float32Array.from({ length: headDim / 2 }, (_, index) => {
    const wavelength = 2 * Math.PI * ropeTheta ** ((2 * index) / headDim)
    if (wavelength < originalContext / highFreqFactor) return 1
    if (wavelength > originalContext / lowFreqFactor) return factor
    const smooth = (originalContext / wavelength - lowFreqFactor) / (highFreqFactor - lowFreqFactor)
    return 1 / ((1 - smooth) / factor + smooth)
  })
}

/** An unsigned integer. */
export function count(value: number): GgufValue {
  return { type: 'uint32', value }
}

/** A single-precision number. */
export function real(value: number): GgufValue {
  return { type: 'float32', value }
}

/** A text. */
export function text(value: string): GgufValue {
  return { type: 'string', value }
}

import { countElements } from '../../files/tensors.ts'
import type { ExportWeights } from '../weights.ts'
import { layOutGguf, type GgmlType, type GgufFile, type GgufTensor } from './container.ts'
import { encodedBytes, encodePieces, Q8_0_BLOCK } from './encode.ts'
import { modelMetadata, ropeFactors } from './metadata.ts'
import { ggufName, interleavedHeads, interleaveHeads } from './tensor-names.ts'
import type { TokenizerMetadata } from './tokenizer.ts'

/** A model to write as GGUF. */
export interface GgufModelInput {
  readonly name: string
  readonly weights: ExportWeights
  readonly tokenizer: TokenizerMetadata
  readonly type: GgmlType
}

/**
 * A whole model as llama.cpp loads it. Norms and biases stay float32; a matrix whose rows are no whole number of blocks
 * is stored in half precision, as llama.cpp's own converter does.
 */
export function ggufModel({ name, weights, tokenizer, type }: GgufModelInput): GgufFile {
  const { config } = weights
  const factors = ropeFactors(config)
  const tensors = weights.names.map((weight) => weightTensor(weights, weight, type))
  const extra = factors === null ? [] : [plainTensor('rope_freqs.weight', [factors.length], factors)]
  return layOutGguf([...modelMetadata({ name, config, type }), ...tokenizer], [...tensors, ...extra])
}

function weightTensor(weights: ExportWeights, name: string, wanted: GgmlType): GgufTensor {
  const shape = weights.shape(name)
  const type = storedType(shape, wanted)
  const heads = interleavedHeads(weights.config, name)
  return {
    name: ggufName(name),
    shape,
    type,
    sizeBytes: encodedBytes(type, countElements(shape)),
    *pieces() {
      const data = weights.read(name)
      yield* encodePieces(type, heads === null ? data : interleaveHeads(data, shape[0] ?? 0, heads))
    },
  }
}

/** Returns the storage type of a tensor of this shape in a model exported as `wanted`. */
export function storedType(shape: readonly number[], wanted: GgmlType): GgmlType {
  if (shape.length < 2) return 'F32'
  if (wanted === 'Q8_0' && (shape.at(-1) ?? 0) % Q8_0_BLOCK !== 0) return 'F16'
  return wanted
}

/** A float32 tensor that lies in memory. */
export function plainTensor(name: string, shape: readonly number[], data: Float32Array): GgufTensor {
  return {
    name,
    shape,
    type: 'F32',
    sizeBytes: encodedBytes('F32', data.length),
    pieces: () => encodePieces('F32', data),
  }
}

import type { ModelConfig } from '../../config/model-config.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import { adapterPairs } from '../weights.ts'
import { layOutGguf, type GgmlType, type GgufFile, type GgufMetadata, type GgufTensor } from './container.ts'
import { encodedBytes, encodePieces } from './encode.ts'
import { count, real, text } from './metadata.ts'
import { ggufName, interleavedHeads, interleaveHeads } from './tensor-names.ts'

/** An adapter to write as GGUF. */
export interface GgufAdapterInput {
  readonly name: string
  readonly config: ModelConfig
  readonly adapter: LoraAdapter
  readonly type: Exclude<GgmlType, 'Q8_0'>
  /** Keys that state the adapter's origin. */
  readonly origin: GgufMetadata
}

/**
 * An adapter as `llama-cli --lora` takes it (convert_lora_to_gguf.py): A and B of each linear layer beside the layer's
 * own name, the rows of B reordered where the base's rows are. llama.cpp scales by alpha / rank itself.
 */
export function ggufAdapter({ name, config, adapter, type, origin }: GgufAdapterInput): GgufFile {
  const { rank, alpha } = adapter.config
  const tensors = adapterPairs(config, adapter).flatMap(({ layer, inputs, outputs, a, b }): readonly GgufTensor[] => {
    const target = ggufName(`${layer}.weight`)
    const heads = interleavedHeads(config, layer)
    return [
      matrix(`${target}.lora_a`, [rank, inputs], type, () => a),
      matrix(`${target}.lora_b`, [outputs, rank], type, () =>
        heads === null ? b : interleaveHeads(b, outputs, heads),
      ),
    ]
  })
  return layOutGguf(
    [
      ['general.architecture', text(config.family)],
      ['general.type', text('adapter')],
      ['general.name', text(name)],
      ['general.file_type', count(type === 'F32' ? 0 : 1)],
      ['adapter.type', text('lora')],
      ['adapter.lora.alpha', real(alpha)],
      ...origin,
    ],
    tensors,
  )
}

function matrix(
  name: string,
  shape: readonly [number, number],
  type: Exclude<GgmlType, 'Q8_0'>,
  read: () => Float32Array,
): GgufTensor {
  return {
    name,
    shape,
    type,
    sizeBytes: encodedBytes(type, shape[0] * shape[1]),
    pieces: () => encodePieces(type, read()),
  }
}

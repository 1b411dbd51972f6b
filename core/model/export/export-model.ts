import { refuseExperts } from '../config/experts-config.ts'
import { MODEL_ERRORS } from '../errors.ts'
import { encodeJsonMember, type BaseTexts } from './base-texts.ts'
import type { LoraAdapter } from '../files/lora-adapter.ts'
import type { OpenedBase } from '../files/base-model.ts'
import { plainMember, type ExportFile, type ExportMember } from './export-file.ts'
import { ggufAdapter } from './gguf/adapter.ts'
import type { GgufMetadata } from './gguf/container.ts'
import { text } from './gguf/metadata.ts'
import { ggufModel } from './gguf/model.ts'
import { tokenizerMetadata } from './gguf/tokenizer.ts'
import { mlxModelFiles } from './mlx-files.ts'
import { onnxModelFiles } from './onnx/model-files.ts'
import type { ExportChoice } from './targets.ts'
import { baseWeights, mergeAdapter, type ExportWeights } from './weights.ts'
import { zipMembers } from './zip-members.ts'

/** Origin of exported weights; written into the file. */
export interface ExportOrigin {
  /** Becomes the name of the file, without its extension. */
  readonly name: string
  readonly artifactId: string
  readonly cid: string
  readonly baseModel: string
  readonly baseWeightsHash: string
}

/** Source of an export. */
export interface ExportSource {
  readonly origin: ExportOrigin
  readonly base: OpenedBase
  /** The files beside the base's weights. */
  readonly texts: BaseTexts
  readonly adapter: LoraAdapter
}

/**
 * The file of an export: one `.gguf`, or a zip with the folder that ONNX tools or mlx-lm load. Throws
 * `export_not_applicable` when the format has no way to hold the base's tokenizer.
 */
export function exportModel(source: ExportSource, choice: ExportChoice): ExportFile {
  const { origin, adapter, base } = source
  const { config } = base.model
  refuseExperts(config, 'an export')
  const suffix = choice.part === 'merged' ? '' : `-${choice.part}`
  const stem = `${origin.name}${suffix}-${choice.quant.toLowerCase()}`
  if (choice.target === 'gguf') {
    const file =
      choice.part === 'adapter' && choice.quant !== 'Q8_0'
        ? ggufAdapter({ name: origin.name, config, adapter, type: choice.quant, origin: originKeys(origin) })
        : ggufModel({
            name: origin.name,
            weights: weightsOf(source, choice.part),
            tokenizer: [...tokenizerKeys(source), ...originKeys(origin)],
            type: choice.quant,
          })
    return { fileName: `${stem}.gguf`, mediaType: 'application/octet-stream', pieces: file.pieces }
  }
  const weights = weightsOf(source, choice.part)
  const files = choice.target === 'onnx' ? onnxModelFiles(weights) : mlxModelFiles(weights)
  const members = [...files, ...textMembers(source, choice)]
  return { fileName: `${stem}-${choice.target}.zip`, mediaType: 'application/zip', pieces: () => zipMembers(members) }
}

function weightsOf({ base, adapter }: ExportSource, part: ExportChoice['part']): ExportWeights {
  if (part === 'adapter') throw MODEL_ERRORS.export_not_applicable('an adapter alone is written as F16 or F32')
  const plain = baseWeights(base.model)
  return part === 'base' ? plain : mergeAdapter(plain, adapter)
}

function tokenizerKeys({ base, texts }: ExportSource): GgufMetadata {
  const { config } = base.model
  const around = base.tokenizer.encode('a', { addSpecial: true })
  return tokenizerMetadata({
    tokenizer: texts.tokenizer,
    config,
    chatTemplate: base.chatTemplate?.source ?? null,
    addsBos: config.bosTokenId !== null && around[0] === config.bosTokenId,
    addsEos: around.length > 1 && config.eosTokenIds.includes(around.at(-1) ?? -1),
  })
}

function originKeys(origin: ExportOrigin): GgufMetadata {
  return [
    ['svc.artifact_id', text(origin.artifactId)],
    ['svc.cid', text(origin.cid)],
    ['svc.base_model', text(origin.baseModel)],
    ['svc.base_weights_hash', text(origin.baseWeightsHash)],
  ]
}

/** The files beside the weights, and one that states their origin. */
function textMembers({ origin, texts }: ExportSource, choice: ExportChoice): readonly ExportMember[] {
  const dtype = choice.quant === 'fp16' ? 'float16' : 'float32'
  return [
    plainMember('config.json', encodeJsonMember({ ...texts.config, torch_dtype: dtype })),
    ...[...texts.others].map(([name, bytes]) => plainMember(name, bytes)),
    plainMember(
      'svc-export.json',
      encodeJsonMember({
        spec: 'svc-export-1',
        artifact_id: origin.artifactId,
        cid: origin.cid,
        base_model: origin.baseModel,
        base_weights_hash: origin.baseWeightsHash,
        target: choice.target,
        quant: choice.quant,
        part: choice.part,
      }),
    ),
  ]
}

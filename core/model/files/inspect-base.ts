import { MODEL_ERRORS } from '../errors.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { parseModelConfig } from '../config/parse-config.ts'
import { weightShapes } from '../config/weight-names.ts'
import { readObject, requireObject } from './base-files.ts'
import type { Dtype } from './safetensors/header.ts'
import { findWeightFiles, type WeightFile } from './weight-files.ts'

/** Facts stated by a base's files, without its weights. */
export interface BaseFacts {
  readonly config: ModelConfig
  readonly files: readonly WeightFile[]
  /** The element types that the weights are stored in. */
  readonly dtypes: readonly Dtype[]
  /** Bytes of all tensors in their stored form. */
  readonly storedBytes: number
  /** Names of tensors that the model does not compute with, such as a stored copy of a tied output head. */
  readonly extraTensors: readonly string[]
}

/** The config of a base's folder. Throws `unsupported_architecture` or `invalid_model`. */
export async function readBaseConfig(directory: string): Promise<ModelConfig> {
  const config = await requireObject(directory, 'config.json')
  return parseModelConfig(config, await readObject(directory, 'generation_config.json'))
}

/**
 * Reads the config and the headers of the weights, and checks that every weight is there in its shape. Throws
 * `unsupported_architecture`, or `invalid_model` that names the tensor.
 */
export async function inspectBase(directory: string): Promise<BaseFacts> {
  const config = await readBaseConfig(directory)
  const files = await findWeightFiles(directory)
  const entries = new Map(files.flatMap((file) => file.entries.map((entry) => [entry.name, entry] as const)))
  const shapes = weightShapes(config)
  for (const [name, shape] of shapes) {
    const entry = entries.get(name)
    if (entry === undefined) throw MODEL_ERRORS.invalid_model(`the weights have no tensor ${name}`)
    if (entry.shape.join() !== shape.join()) {
      throw MODEL_ERRORS.invalid_model(
        `tensor ${name} has the shape [${entry.shape.join(', ')}], and config.json asks for [${shape.join(', ')}]`,
      )
    }
  }
  const used = [...shapes.keys()].map((name) => entries.get(name)).filter((entry) => entry !== undefined)
  return {
    config,
    files,
    dtypes: [...new Set(used.map(({ dtype }) => dtype))].toSorted(),
    storedBytes: [...entries.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    extraTensors: [...entries.keys()].filter((name) => !shapes.has(name)),
  }
}

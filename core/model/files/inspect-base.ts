import { MODEL_ERRORS } from '../errors.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { parseModelConfig } from '../config/parse-config.ts'
import { EMBEDDING, MODEL_PREFIX, weightShapes } from '../config/weight-names.ts'
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

/** Parts of a base that a reader does without. */
export interface BaseParts {
  /** True without an output head: the model of embeddings has none. */
  readonly isHeadless?: boolean
}

/**
 * Reads the config and the headers of the weights, and checks that every weight is there in its shape. Tensors of a model
 * that was saved without its head have names without `model.`; it is put before them. Throws `unsupported_architecture`,
 * or `invalid_model` that names the tensor.
 */
export async function inspectBase(directory: string, { isHeadless = false }: BaseParts = {}): Promise<BaseFacts> {
  const read = await readBaseConfig(directory)
  const config = isHeadless ? { ...read, tiedEmbeddings: true } : read
  const files = named(await findWeightFiles(directory))
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

function named(files: readonly WeightFile[]): readonly WeightFile[] {
  if (files.some(({ entries }) => entries.some(({ name }) => name === EMBEDDING))) return files
  return files.map(({ label, entries }) => ({
    label,
    entries: entries.map((entry) => ({ ...entry, name: `${MODEL_PREFIX}${entry.name}` })),
  }))
}

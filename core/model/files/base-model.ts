import { basename, resolve } from 'node:path'
import type { Sha256 } from '../../kernel/json/json.ts'
import type { ModelConfig } from '../config/model-config.ts'
import type { ChatTemplate } from '../tokenizer/chat-template.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import { inspectBase, type BaseFacts, type BaseParts } from './inspect-base.ts'
import { readBaseTokenizer } from './base-tokenizer.ts'
import { hashTensor, readTensor } from './safetensors/read.ts'
import { withSource } from './base-files.ts'
import { hashTensors, type TensorDigest } from './weights-hash.ts'
import type { TensorData } from './tensors.ts'

/** The weights of a base in memory, with their description. */
export interface BaseModel {
  /** Name of the folder. */
  readonly name: string
  readonly config: ModelConfig
  /** Every weight of `weightShapes(config)` by its name, and no other. */
  readonly weights: ReadonlyMap<string, TensorData>
  /** Hash of all tensors in their stored form; see `hashTensors`. */
  readonly weightsHash: Sha256
}

/** A base that is ready to compute, and its texts. */
export interface OpenedBase {
  readonly model: BaseModel
  readonly tokenizer: Tokenizer
  /** Null when the base has none. */
  readonly chatTemplate: ChatTemplate | null
}

/**
 * Reads a base from a folder in Hugging Face's layout. Weights are widened to float32 piece by piece and hashed on the
 * way; tensors that the model does not compute with are hashed only. Throws `unsupported_architecture`,
 * `invalid_model`, also for a weight that is not finite, or the signal's reason.
 */
export async function openBaseModel(
  directory: string,
  options: BaseParts & { readonly signal?: AbortSignal } = {},
): Promise<OpenedBase> {
  const facts = await inspectBase(directory, options)
  const { tokenizer, chatTemplate } = await readBaseTokenizer(directory, facts.config)
  const weights = new Map<string, TensorData>()
  const weightsHash = await readWeights(directory, facts, weights, options.signal)
  return {
    model: { name: basename(resolve(directory)), config: facts.config, weights, weightsHash },
    tokenizer,
    chatTemplate,
  }
}

/** The hash of a base's weights without keeping them. Throws as `openBaseModel`. */
export async function hashBase(directory: string, facts: BaseFacts): Promise<Sha256> {
  return await readWeights(directory, facts, undefined, undefined)
}

async function readWeights(
  directory: string,
  { files, extraTensors }: BaseFacts,
  weights: Map<string, TensorData> | undefined,
  signal: AbortSignal | undefined,
): Promise<Sha256> {
  const extras = new Set(extraTensors)
  const digests: TensorDigest[] = []
  for (const { label, entries } of files) {
    await withSource(directory, label.file, async (source) => {
      for (const entry of entries) {
        signal?.throwIfAborted()
        const { name, dtype, shape } = entry
        if (weights === undefined || extras.has(name)) {
          digests.push({ name, dtype, shape, digest: await hashTensor(source, entry, label) })
          continue
        }
        const { tensor, digest } = await readTensor(source, entry, label)
        weights.set(name, tensor)
        digests.push({ name, dtype, shape, digest })
      }
    })
  }
  return hashTensors(digests)
}

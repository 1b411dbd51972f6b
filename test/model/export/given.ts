import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import yauzl from 'yauzl'
import type { ExportFile } from '../../../core/model/export/export-file.ts'
import type { ExportOrigin } from '../../../core/model/export/export-model.ts'
import { ADAPTER_FILES, readAdapter } from '../../../core/model/files/adapter-files.ts'
import { openBaseModel, type OpenedBase } from '../../../core/model/files/base-model.ts'
import { createRandom } from '../../../core/model/random.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { ModelConfig, ModelFamily } from '../../../core/model/config/model-config.ts'
import { projectionShape, weightShapes } from '../../../core/model/config/weight-names.ts'
import { adaptedProjections, TARGET_MODULES, type LoraAdapter } from '../../../core/model/files/lora-adapter.ts'
import { countElements, type TensorData } from '../../../core/model/files/tensors.ts'

/** Byte-level BPE over all bytes with two merges, a few special tokens, and GPT-2's splitting. */
export const TOKENIZER: JsonObject = {
  version: '1.0',
  added_tokens: [
    { id: 0, content: '<|end|>', special: true },
    { id: 259, content: '<mark>', special: false },
  ],
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
  post_processor: null,
  model: {
    type: 'BPE',
    vocab: Object.fromEntries([
      ['<|end|>', 0],
      ...byteCharacters().map((character, index) => [character, index + 1]),
      ['ab', 257],
      ['abc', 258],
    ]),
    merges: ['a b', ['ab', 'c']],
  },
}

/** A tiny model of a family. */
export function aConfig(family: ModelFamily, changes: Partial<ModelConfig> = {}): ModelConfig {
  return {
    family,
    architecture: {
      llama: 'LlamaForCausalLM',
      qwen2: 'Qwen2ForCausalLM',
      qwen3: 'Qwen3ForCausalLM',
      qwen3_moe: 'Qwen3MoeForCausalLM',
    }[family],
    vocabSize: 264,
    hiddenSize: 64,
    layers: 2,
    heads: 4,
    kvHeads: 2,
    headDim: 16,
    intermediateSize: 96,
    contextLength: 128,
    normEpsilon: 1e-5,
    ropeTheta: 10_000,
    ropeScaling: { type: 'none' },
    qkvBias: family === 'qwen2',
    outputBias: false,
    mlpBias: false,
    qkNorm: family === 'qwen3',
    tiedEmbeddings: true,
    bosTokenId: null,
    eosTokenIds: [0],
    padTokenId: null,
    ...changes,
  }
}

/** Weights of that model, random from a fixed seed. */
export function someWeights(config: ModelConfig): ReadonlyMap<string, TensorData> {
  const random = createRandom(7, 'weights')
  return new Map(
    [...weightShapes(config)].map(([name, shape]) => {
      const data = new Float32Array(new SharedArrayBuffer(countElements(shape) * 4))
      const isNorm = name.includes('norm')
      for (let index = 0; index < data.length; index++) data[index] = random.normal() * 0.15 + (isNorm ? 1 : 0)
      return [name, { shape, data }] as const
    }),
  )
}

/** An adapter on every projection of that model, random from a fixed seed. */
export function anAdapter(config: ModelConfig, rank = 4): LoraAdapter {
  const random = createRandom(8, 'adapter')
  const some = (length: number) => Float32Array.from({ length }, () => random.normal() * 0.2)
  return {
    config: { rank, alpha: 2 * rank, targetModules: TARGET_MODULES },
    tensors: new Map(
      adaptedProjections(config, TARGET_MODULES).map(({ name, projection }) => {
        const [outputs, inputs] = projectionShape(config, projection)
        return [name, { a: some(rank * inputs), b: some(outputs * rank) }] as const
      }),
    ),
  }
}

/** All pieces of a file, joined. */
export function joined(pieces: Iterable<Uint8Array>): Buffer {
  return Buffer.concat([...pieces])
}

/** The characters by which GPT-2's byte-level BPE writes the 256 bytes. */
function byteCharacters(): readonly string[] {
  const printable = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++))
}

/** A folder of `test/model/golden`: a small base with an adapter and what transformers and PEFT compute with it. */
export interface Golden {
  readonly directory: string
  readonly base: OpenedBase
  readonly adapter: LoraAdapter
  readonly adapterFiles: ReadonlyMap<string, Uint8Array>
  readonly expected: {
    readonly sequences: readonly (readonly number[])[]
    readonly logProbs: readonly (readonly number[])[]
    readonly adapterLogProbs: readonly (readonly number[])[]
    readonly lastLogits: readonly number[]
  }
}

/** Opens a golden folder. */
export async function openGolden(name: string): Promise<Golden> {
  const directory = fileURLToPath(new URL(`../golden/${name}`, import.meta.url))
  const base = await openBaseModel(directory)
  const adapterFiles = new Map<string, Uint8Array>()
  for (const file of ADAPTER_FILES) adapterFiles.set(file, await readFile(join(directory, 'adapter', file)))
  return {
    directory,
    base,
    adapter: readAdapter(adapterFiles, base.model.config),
    adapterFiles,
    expected: JSON.parse(await readFile(join(directory, 'expected.json'), 'utf8')),
  }
}

/** Where a golden export comes from. */
export function anOrigin({ base }: Golden): ExportOrigin {
  const { name, weightsHash } = base.model
  return { name: 'given', artifactId: 'cmp_0', cid: 'cidv1:0', baseModel: name, baseWeightsHash: weightsHash }
}

/** The file of an export, as a whole. */
export async function wholeFile(file: ExportFile): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of file.pieces()) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The members of a zip, read by the published reader. */
export async function unzip(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(bytes)
  const members = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry())
    members.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  return members
}

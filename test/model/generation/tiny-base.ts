import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import { weightShapes } from '../../../core/model/config/weight-names.ts'
import { adaptedProjections, type LoraAdapter, TARGET_MODULES } from '../../../core/model/files/lora-adapter.ts'
import { countElements, type TensorData } from '../../../core/model/files/tensors.ts'
import { createRandom } from '../../../core/model/random.ts'
import { projectionShape } from '../../../core/model/config/weight-names.ts'
import { tinyConfig } from '../tiny-config.ts'
import type { Tokenizer } from '../../../core/model/tokenizer/tokenizer.ts'

const WORDS = ['the', ' re', 'fund', 'card', '_pay', 'ment', '{"', '":"', '","', 'é', '日本', 'true', 'null', '12']

/** Token 0 ends an answer, 1 is special; then one token for each byte, then a few of several bytes. */
export const END = 0
const FIRST_BYTE = 2
const SIZE = FIRST_BYTE + 256 + WORDS.length

/** A tokenizer over bytes that takes its few longer tokens wherever they fit. */
export function byteTokenizer(): Tokenizer {
  const words = WORDS.map((word) => Buffer.from(word))
  const tokenBytes = (id: number): Uint8Array | null =>
    id < FIRST_BYTE
      ? null
      : id < FIRST_BYTE + 256
        ? Uint8Array.of(id - FIRST_BYTE)
        : (words[id - FIRST_BYTE - 256] ?? null)
  return {
    vocabSize: SIZE,
    lead: '',
    tokenBytes,
    tokenId: () => null,
    decode: (ids) => new TextDecoder().decode(Buffer.concat(ids.map((id) => tokenBytes(id) ?? new Uint8Array()))),
    encode(text) {
      const bytes = Buffer.from(text)
      const ids: number[] = []
      for (let at = 0; at < bytes.length;) {
        const word = words.findIndex((each) => bytes.subarray(at, at + each.length).equals(each))
        ids.push(word < 0 ? FIRST_BYTE + (bytes[at] ?? 0) : FIRST_BYTE + 256 + word)
        at += words[word]?.length ?? 1
      }
      return ids
    },
  }
}

/** The same in sentencepiece's manner: encoding puts a space in front of every text. */
export function leadingTokenizer(): Tokenizer {
  const plain = byteTokenizer()
  return { ...plain, lead: ' ', encode: (text) => plain.encode(` ${text}`) }
}

/** A base with random weights, large enough that answers differ. */
export function tinyBase(
  changes: Partial<ModelConfig> = {},
  seed = 1,
): { config: ModelConfig; weights: Map<string, TensorData> } {
  const config = tinyConfig({ vocabSize: SIZE, eosTokenIds: [END], ...changes })
  const random = createRandom(seed, 'tiny base')
  const weights = new Map<string, TensorData>()
  for (const [name, shape] of weightShapes(config)) {
    const data = new Float32Array(new SharedArrayBuffer(countElements(shape) * 4))
    for (let index = 0; index < data.length; index++) data[index] = shape.length === 1 ? 1 : random.normal() * 0.4
    weights.set(name, { shape, data })
  }
  return { config, weights }
}

/** An adapter with random factors on every linear layer. */
export function tinyAdapter(config: ModelConfig, seed: number, rank = 2): LoraAdapter {
  const random = createRandom(seed, 'tiny adapter')
  const fill = (length: number): Float32Array => Float32Array.from({ length }, () => random.normal() * 0.5)
  const tensors = adaptedProjections(config, TARGET_MODULES).map(({ name, projection }) => {
    const [outputs, inputs] = projectionShape(config, projection)
    return [name, { a: fill(rank * inputs), b: fill(outputs * rank) }] as const
  })
  return { config: { rank, alpha: rank * 2, targetModules: TARGET_MODULES }, tensors: new Map(tensors) }
}

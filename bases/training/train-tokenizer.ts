import type { JsonObject } from '../../core/kernel/json/json.ts'
import { drawDocument, textOf } from './documents.ts'
import { createRandom, mixSeed } from './random.ts'
import { MERGE_COUNT, tokenizerJson } from './tokenizer/tokenizer-files.ts'
import { trainBpe } from './tokenizer/train-bpe.ts'

/** Documents that the vocabulary is drawn from. */
const DOCUMENTS = 60_000

function* texts(seed: number): Generator<string> {
  const random = createRandom(mixSeed(seed, -1))
  for (let i = 0; i < DOCUMENTS; i++) yield* textOf(drawDocument(random))
}

/** The content of the base's `tokenizer.json`, trained on the base's own mixture; the same for the same seed. */
export const trainTokenizer = (seed: number): JsonObject => tokenizerJson(trainBpe(texts(seed), MERGE_COUNT))

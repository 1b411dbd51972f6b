import type { Tokenizer } from '../../core/model/tokenizer/tokenizer.ts'
import type { Document } from './documents.ts'
import type { Pair } from './tasks/task.ts'
import { END, INPUT, OUTPUT } from './tokenizer/tokenizer-files.ts'

/** Token ids of a document, with the weight that each has in the loss as something to predict. */
export interface Sequence {
  readonly ids: readonly number[]
  /** As long as `ids`; the first is never predicted. */
  readonly weights: readonly number[]
}

/** Weight of a token of an input: there to learn the language, not to learn the answers. */
const INPUT_WEIGHT = 0.1
/** Weight of a token of plain text. */
const PASSAGE_WEIGHT = 0.3

/** A document as the model sees it: `<|input|>…<|output|>…<|end|>` for each turn, plain text led and ended by `<|end|>`. */
export function encodeDocument(tokenizer: Tokenizer, document: Document): Sequence {
  const ids: number[] = []
  const weights: number[] = []
  const put = (tokens: readonly number[], weight: number): void => {
    for (const token of tokens) {
      ids.push(token)
      weights.push(weight)
    }
  }
  const encode = plainEncoder(tokenizer)
  if (document.kind === 'passage') {
    put([END], 0)
    put(encode(document.text), PASSAGE_WEIGHT)
    put([END], PASSAGE_WEIGHT)
  } else {
    for (const { input, output, weight } of document.turns) {
      put([INPUT], 0)
      put(encode(input), INPUT_WEIGHT)
      put([OUTPUT], 0)
      put(encode(output), weight)
      put([END], weight)
    }
  }
  return { ids, weights }
}

const plainEncoder =
  (tokenizer: Tokenizer) =>
  (text: string): readonly number[] =>
    tokenizer.encode(text, { asPlainText: true })

/** The prompt of an input after some answered turns: `<|input|>…<|output|>…<|end|>` for each, then the input to answer. */
export function encodePrompt(tokenizer: Tokenizer, answered: readonly Pair[], input: string): readonly number[] {
  const encode = plainEncoder(tokenizer)
  const turns = answered.flatMap((pair) => [INPUT, ...encode(pair.input), OUTPUT, ...encode(pair.output), END])
  return [...turns, INPUT, ...encode(input), OUTPUT]
}

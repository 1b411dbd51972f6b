import { BYTE_LETTERS, toByteLetters } from './byte-letters.ts'

/** Splits off each digit first, so that numbers are spelled digit by digit (`Digits` of the `tokenizers` library). */
const DIGIT = /(\p{N})/u
/** GPT-2's pattern (`ByteLevel` with `use_regex`): contractions, words and runs of marks with the space before them, blanks. */
const WORD = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu

/** Two tokens that are joined into one, in the letters of their bytes. */
export type Merge = readonly [left: string, right: string]

interface Word {
  pieces: string[]
  readonly weight: number
}

/** Counts the words of the texts, in byte letters. */
function countWords(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) {
    for (const piece of text.split(DIGIT)) {
      for (const [word] of piece.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  return new Map([...counts].map(([word, count]) => [toByteLetters(word), count]))
}

const pairKey = (left: string, right: string): string => `${left} ${right}`

/** The pair of the greatest weight; the first in code unit order among equals, so that the result is the same everywhere. */
function bestPair(weights: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined
  let most = 0
  for (const [pair, weight] of weights) {
    if (weight < most || weight <= 0) continue
    if (weight === most && best !== undefined && pair > best) continue
    best = pair
    most = weight
  }
  return best
}

function joined(pieces: readonly string[], left: string, right: string): string[] {
  const result: string[] = []
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] ?? ''
    if (piece === left && pieces[i + 1] === right) {
      result.push(left + right)
      i++
    } else result.push(piece)
  }
  return result
}

/**
 * The merges of a byte-level BPE vocabulary, best first (Sennrich et al., ACL 2016). A word weighs the square root of its
 * count, rounded down: templates repeat a few words very often, and the vocabulary should cover the many others too.
 */
export function trainBpe(texts: Iterable<string>, mergeCount: number): readonly Merge[] {
  const words: Word[] = [...countWords(texts)].map(([word, count]) => ({
    pieces: Array.from(word),
    weight: Math.floor(Math.sqrt(count)),
  }))
  const weights = new Map<string, number>()
  const holders = new Map<string, Set<Word>>()
  const account = (word: Word, sign: 1 | -1): void => {
    for (let i = 0; i + 1 < word.pieces.length; i++) {
      const key = pairKey(word.pieces[i] ?? '', word.pieces[i + 1] ?? '')
      weights.set(key, (weights.get(key) ?? 0) + sign * word.weight)
      if (sign === 1) holders.set(key, (holders.get(key) ?? new Set()).add(word))
    }
  }
  for (const word of words) account(word, 1)
  const merges: Merge[] = []
  while (merges.length < mergeCount) {
    const best = bestPair(weights)
    if (best === undefined) break
    const [left = '', right = ''] = best.split(' ')
    merges.push([left, right])
    for (const word of holders.get(best) ?? []) {
      account(word, -1)
      word.pieces = joined(word.pieces, left, right)
      account(word, 1)
    }
    weights.delete(best)
    holders.delete(best)
  }
  return merges
}

/** The vocabulary of the merges: special tokens first, then the bytes, then each merged token; the index is the id. */
export const vocabularyOf = (specialTokens: readonly string[], merges: readonly Merge[]): readonly string[] => [
  ...specialTokens,
  ...BYTE_LETTERS,
  ...new Set(merges.map(([left, right]) => left + right)),
]

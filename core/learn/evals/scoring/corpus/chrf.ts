import type { CorpusMetric } from './corpus-metric.ts'
import { countNgrams, withoutSpaces, wordsOf } from './words.ts'

const CHARACTER_ORDER = 6
/** Recall weighs as much as this times precision. */
const BETA = 2
/** Counts of each order: n-grams of the answer, n-grams of the reference, n-grams in both. */
const EACH = 3
const PUNCTUATION: ReadonlySet<string> = new Set(Array.from('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'))

/**
 * chrF2 (Popović, WMT 2015): the F-score, with beta 2, of the mean precision and recall of n-grams of 1 to 6 characters without
 * white space; chrF++ (Popović, WMT 2017) with word order 2 counts n-grams of 1 and 2 words too. Orders count that answers and references have.
 * Of several references the one with the best score counts.
 */
export function chrf({ wordOrder }: { readonly wordOrder: 0 | 2 }): CorpusMetric {
  return {
    count: (answer, references) => {
      const ngrams = ngramsOf(answer, wordOrder)
      let [best, highest]: [readonly number[], number] = [[], -1]
      for (const reference of references) {
        const counts = ngramsOf(reference, wordOrder).flatMap((referred, order) => countsOf(ngrams[order], referred))
        const score = scoreOf(counts)
        if (score > highest) [best, highest] = [counts, score]
      }
      return best
    },
    score: scoreOf,
    scoreAlone: scoreOf,
  }
}

type Ngrams = ReadonlyMap<string, number>

/** The n-grams of characters of each order, then those of words. */
function ngramsOf(text: string, wordOrder: number): readonly Ngrams[] {
  const characters = Array.from(withoutSpaces(text))
  const words = wordOrder === 0 ? [] : wordsOf(text).flatMap(withPunctuationApart)
  return [
    ...Array.from({ length: CHARACTER_ORDER }, (_, place) => countNgrams(characters, place + 1, '')),
    ...Array.from({ length: wordOrder }, (_, place) => countNgrams(words, place + 1, ' ')),
  ]
}

/** A word and a punctuation mark at its end, or else at its beginning. */
function withPunctuationApart(word: string): readonly string[] {
  const characters = Array.from(word)
  const [first = '', last = ''] = [characters[0], characters.at(-1)]
  if (characters.length === 1) return [word]
  if (PUNCTUATION.has(last)) return [characters.slice(0, -1).join(''), last]
  return PUNCTUATION.has(first) ? [first, characters.slice(1).join('')] : [word]
}

function countsOf(answered: Ngrams = new Map(), referred: Ngrams): readonly number[] {
  let both = 0
  for (const [ngram, count] of answered) both += Math.min(count, referred.get(ngram) ?? 0)
  // An order that the reference has no n-gram of counts none of the answer.
  return [referred.size === 0 ? 0 : sizeOf(answered), sizeOf(referred), both]
}

function sizeOf(ngrams: Ngrams): number {
  let size = 0
  for (const count of ngrams.values()) size += count
  return size
}

function scoreOf(sums: ArrayLike<number>): number {
  let [precision, recall, orders] = [0, 0, 0]
  for (let at = 0; at < sums.length; at += EACH) {
    const [answered, referred, both] = [sums[at] ?? 0, sums[at + 1] ?? 0, sums[at + 2] ?? 0]
    if (answered === 0 || referred === 0) continue
    precision += both / answered
    recall += both / referred
    orders += 1
  }
  if (precision + recall === 0) return 0
  precision /= orders
  recall /= orders
  return (100 * (1 + BETA ** 2) * precision * recall) / (BETA ** 2 * precision + recall)
}

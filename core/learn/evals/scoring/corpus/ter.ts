import type { CorpusMetric } from './corpus-metric.ts'
import { editsOf } from './shifted-edits.ts'
import { wordsOf } from './words.ts'

/**
 * Translation edit rate (Snover et al., AMTA 2006): the edits that turn answers into references, in percent of the words of the
 * references. Words are lower-cased and split at white space alone, as sacrebleu does by default. A row counts the edits to
 * its closest reference, and the mean length of all of them. Less is better; 100 where the references are empty and answers are not.
 */
export const ter: CorpusMetric = {
  count: (answer, references) => {
    const words = lowerWords(answer)
    let [edits, length] = [Number.POSITIVE_INFINITY, 0]
    for (const reference of references) {
      const referred = lowerWords(reference)
      edits = Math.min(edits, editsOf(words, referred))
      length += referred.length
    }
    return [edits, length / references.length]
  },
  score: scoreOf,
  scoreAlone: scoreOf,
}

function lowerWords(text: string): readonly string[] {
  return wordsOf(text.toLowerCase())
}

function scoreOf(sums: ArrayLike<number>): number {
  const [edits, length] = [sums[0] ?? 0, sums[1] ?? 0]
  if (length > 0) return (100 * edits) / length
  return edits > 0 ? 100 : 0
}

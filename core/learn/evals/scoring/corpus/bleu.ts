import type { CorpusMetric } from './corpus-metric.ts'
import { tokens13a } from './tokens-13a.ts'
import { countNgrams } from './words.ts'

const ORDER = 4
/** Places of the sums: tokens of the answers, tokens of the closest references, then hits and n-grams of each order. */
const HITS_AT = 2
const NGRAMS_AT = HITS_AT + ORDER

/**
 * BLEU (Papineni et al., ACL 2002): the geometric mean of the precisions of n-grams of 1 to 4 tokens, clipped to the most that one
 * reference has, times the brevity penalty. Tokens are those of `tokens13a`; of an order without a hit the precision is half
 * of 1 / n-grams, of the next such order a quarter, and so on (smoothing `exp`; Chen and Cherry, WMT 2014, method 3).
 */
export const bleu: CorpusMetric = {
  count: (answer, references) => {
    const tokens = tokens13a(answer)
    const tokenized = references.map(tokens13a)
    const hits: number[] = []
    const ngrams: number[] = []
    for (let order = 1; order <= ORDER; order++) {
      const most = mostOf(tokenized, order)
      let hit = 0
      for (const [ngram, count] of countNgrams(tokens, order, ' ')) hit += Math.min(count, most.get(ngram) ?? 0)
      hits.push(hit)
      ngrams.push(Math.max(0, tokens.length - order + 1))
    }
    const lengths = tokenized.map(({ length }) => length)
    return [tokens.length, closest(lengths, tokens.length), ...hits, ...ngrams]
  },
  score: (sums) => scoreOf(sums, { isAlone: false }),
  scoreAlone: (counts) => scoreOf(counts, { isAlone: true }),
}

/** The most that one reference has of each n-gram. */
function mostOf(references: readonly (readonly string[])[], order: number): ReadonlyMap<string, number> {
  const [first = [], ...others] = references
  const most = countNgrams(first, order, ' ')
  for (const other of others) {
    for (const [ngram, count] of countNgrams(other, order, ' ')) most.set(ngram, Math.max(count, most.get(ngram) ?? 0))
  }
  return most
}

/** The length that is closest to another one; of two equally close ones the shorter. */
function closest(lengths: readonly number[], to: number): number {
  return lengths.reduce((best, length) => {
    const [distance, least] = [Math.abs(length - to), Math.abs(best - to)]
    return distance < least || (distance === least && length < best) ? length : best
  })
}

/** The score of counts. Of a row alone, orders count as far as the answer has n-grams of them (sacrebleu's effective order). */
function scoreOf(sums: ArrayLike<number>, { isAlone }: { readonly isAlone: boolean }): number {
  const [answered, referred] = [sums[0] ?? 0, sums[1] ?? 0]
  let logs = 0
  let orders = 0
  let hasHit = false
  let smoothing = 1
  for (; orders < ORDER; orders++) {
    const [hits, ngrams] = [sums[HITS_AT + orders] ?? 0, sums[NGRAMS_AT + orders] ?? 0]
    if (ngrams === 0) break
    hasHit ||= hits > 0
    if (hits === 0) smoothing *= 2
    logs += Math.log((100 * (hits === 0 ? 1 / smoothing : hits)) / ngrams)
  }
  if (!hasHit || (orders < ORDER && !isAlone)) return 0
  const penalty = answered < referred ? Math.exp(1 - referred / answered) : 1
  return penalty * Math.exp(logs / orders)
}

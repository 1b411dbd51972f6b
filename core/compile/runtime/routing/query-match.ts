import { wordScore, wordWeight } from '../../../kernel/search/bm25.ts'
import { wordsOf } from '../../../kernel/search/words.ts'

/** Words of requests that say nothing about their subject: what is done with any input, and what any input is called. */
const PLAIN = new Set(
  wordsOf(
    `answer apply attached calculate call case change choose compute concept content convert correct data deal entry example
    execute field find fit fitting following format handle input item job line matching message model next output pass pick
    process produce program proper provide read recipe record request respond result return right row run select sort string
    suitable take task text tool transform treat try turn value work write`,
  ),
)

/** The match between a query and the words about a concept. */
export interface QueryMatch {
  /** BM25 of the words about the concept. */
  readonly score: number
  /** Share of the query's words that are about the concept, rare ones counting more, 0 to 1. */
  readonly coverage: number
  /** Share of the concept's words that the query has, rare ones counting more, 0 to 1. */
  readonly recall: number
  /** Place of the first word of the query that is about the concept; Infinity for none. */
  readonly firstPlace: number
  /** Words of the query that say something and are about none of the concepts, how many. */
  readonly unknownWords: number
}

/** Words about concepts, which can be searched. */
export interface QueryIndex {
  /** Returns how well each concept matches, by place. */
  match(query: string): readonly QueryMatch[]
}

/** Words of a query that count. */
const MOST_QUERY_WORDS = 200

/** Indexes what is written about concepts: their names and tasks. */
export function indexQueries(texts: readonly string[]): QueryIndex {
  const entries = texts.map((text) => {
    const words = wordsOf(text)
    const counts = new Map<string, number>()
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
    return { counts, length: words.length }
  })
  const holders = new Map<string, number>()
  for (const { counts } of entries) for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1)
  const weightOf = (word: string): number => wordWeight(texts.length, holders.get(word) ?? 0)
  const averageLength = Math.max(1, entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length))
  const weighed = (words: Iterable<string>): number => [...words].reduce((sum, word) => sum + weightOf(word), 0)
  const totals = entries.map(({ counts }) => weighed(counts.keys()))
  return {
    match(query) {
      const words = wordsOf(query).slice(0, MOST_QUERY_WORDS)
      const distinct = new Set(words)
      const total = weighed(distinct)
      const unknownWords = [...distinct].filter((word) => !PLAIN.has(word) && !holders.has(word)).length
      return entries.map(({ counts, length }, place) => {
        let score = 0
        let found = 0
        let firstPlace = Infinity
        for (const word of distinct) {
          const count = counts.get(word) ?? 0
          if (count === 0) continue
          const weight = weightOf(word)
          score += weight * wordScore({ count, length, averageLength })
          found += weight
          firstPlace = Math.min(firstPlace, words.indexOf(word))
        }
        return {
          score,
          coverage: total === 0 ? 0 : found / total,
          recall: found === 0 ? 0 : found / (totals[place] ?? 1),
          firstPlace,
          unknownWords,
        }
      })
    },
  }
}

import { endOfWords, wordsOf } from '../../kernel/search/words.ts'

/** Characters of a word that count: longer ones are data, such as encoded pictures. */
const MOST_TERM_CHARS = 64
/** Terms of a query that count; a longer query says the same again. */
const MOST_QUERY_TERMS = 64

/** Returns the terms of a text by which it is found: its words without endings, common words left out. */
export function termsOf(text: string): readonly string[] {
  return wordsOf(text).map((word) => word.slice(0, MOST_TERM_CHARS))
}

/** Returns the place in a text behind its first `most` terms; undefined when it has no more. */
export function endOfTerms(text: string, most: number): number | undefined {
  return endOfWords(text, most)
}

/** Returns the different terms of a query. */
export function queryTerms(query: string): readonly string[] {
  return [...new Set(termsOf(query))].slice(0, MOST_QUERY_TERMS)
}

/**
 * Returns terms as the text of a `tsvector` of Postgres, each with all its places. The service's own words and not those of
 * `to_tsvector`, which depend on the locale of the database. Terms hold letters and digits only, so none needs escaping.
 */
export function vectorText(terms: readonly string[]): string {
  const places = new Map<string, number[]>()
  for (const [at, term] of terms.entries()) {
    const known = places.get(term)
    if (known === undefined) places.set(term, [at + 1])
    else known.push(at + 1)
  }
  return [...places].map(([term, at]) => `'${term}':${at.join(',')}`).join(' ')
}

import { invalidField } from '../../../../core/kernel/errors.ts'
import { passagesFor } from '../../../../core/kernel/search/extract-answer.ts'
import type { FoundPassage, SearchIndex } from '../../../../core/kernel/search/search-index.ts'

/** Sections that a model is given. */
const MOST_SECTIONS = 6
/** Sections that are looked at where an answer may come from some pages only. */
const MOST_SEARCHED = 200

/**
 * Share of a question that a section holds before a model is asked about it: unlike sentences, a model can tell that they do
 * not answer.
 */
const WORTH_ASKING = 1 / 3

/** A question with what it follows. */
export interface AskedQuestion {
  readonly question: string
  /** The question before it; a question such as "and in Python?" is found by both. */
  readonly before: string | null
  /** Paths of the pages that an answer may come from; null for all. */
  readonly pages: readonly string[] | null
}

/**
 * Returns the sections that may answer a question, and the question that found them. Throws `validation_failed` for a page
 * that there is not.
 */
export function findPassages(
  index: SearchIndex,
  { question, before, pages }: AskedQuestion,
): { readonly question: string; readonly found: readonly FoundPassage[] } {
  const paths = pages === null ? null : pagesOf(index, pages)
  for (const text of before === null ? [question] : [question, `${before} ${question}`]) {
    const found = passagesFor(index, text, paths === null ? MOST_SECTIONS : MOST_SEARCHED, WORTH_ASKING).filter(
      ({ passage: { url } }) => paths === null || (url !== null && paths.has(pageOf(url))),
    )
    if (found.length > 0) return { question: text, found: found.slice(0, MOST_SECTIONS) }
  }
  return { question, found: [] }
}

function pagesOf(index: SearchIndex, asked: readonly string[]): ReadonlySet<string> {
  const known = new Set(index.passages.flatMap(({ url }) => (url === null ? [] : [pageOf(url)])))
  for (const [at, url] of asked.entries()) {
    if (!known.has(pageOf(url))) throw invalidField(`top_k_doc_urls.${at}`, 'is no page of the documentation')
  }
  return new Set(asked.map((url) => pageOf(url)))
}

function pageOf(url: string): string {
  return url.split('#')[0] ?? url
}

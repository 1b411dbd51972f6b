import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { lookup } from '../search/build.ts'
import { valuesOf } from '../search/candidate-program.ts'
import { searchExpr, searchOf, type TextSearch } from '../../language/expressions/conditions.ts'
import { branchExpr, casesOf } from '../../language/expressions/branches.ts'

const WORD = /[\p{L}\p{N}]+|\p{Sc}/gu
/** Letters or a sign of a currency: the name of a category rather than a number. */
const NAME = /[\p{L}\p{Sc}]/u
/** Places at which the words of categories stand: from the start, and from the end. */
const PLACES = [0, 1, 2, -1, -2] as const
/** Rows that the last branch must answer: one row shows no category. */
const MIN_LAST_ROWS = 2
/** Searches from which a place holds categories: of two kinds of rows, one may be everything else and share a word by chance. */
const MIN_SEARCHES = 2

/** The searches of which a condition is made; undefined where it is made of others too. */
function searchesIn(condition: Expr): readonly TextSearch[] | undefined {
  const parts = condition.op === 'or' ? condition.of : [condition]
  const searches = parts.flatMap((part) => searchOf(part) ?? [])
  return searches.length === parts.length ? searches : undefined
}

/** The search that finds its text first in each input, by its index; their number where none does. */
function searchesMet(searches: readonly TextSearch[], inputs: readonly Json[]): readonly number[] | undefined {
  const holds = searches.map((search) => valuesOf(searchExpr(search), inputs))
  if (holds.includes(undefined)) return undefined
  return inputs.map((_, row) => {
    const first = holds.findIndex((values) => values?.[row] === true)
    return first < 0 ? searches.length : first
  })
}

/** The text that all have; undefined where they differ or there are none. */
function sharedBy(texts: readonly (string | undefined)[]): string | undefined {
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined
}

/** True where a text that is looked for ends in this word, and in no part of a longer one. */
function endsInWord(sought: string, word: string | undefined): boolean {
  return word !== undefined && sought.endsWith(word) && sought.match(WORD)?.at(-1) === word
}

/**
 * The condition of the last branch: its rows have a word of their own at the place where those of every other search have
 * the word that is looked for.
 */
function lastCondition(
  searches: readonly TextSearch[],
  texts: readonly string[],
  met: readonly number[],
): TextSearch | undefined {
  const words = texts.map((text) => text.match(WORD) ?? [])
  const [first] = searches
  if (first === undefined) return undefined
  for (const place of PLACES) {
    const names = [...searches.keys(), searches.length].map((search) =>
      sharedBy(words.filter((_, row) => met[row] === search).map((row) => row.at(place))),
    )
    const last = names.at(-1)
    if (last === undefined || !NAME.test(last) || new Set(names).size < names.length) continue
    if (!searches.every((search, at) => endsInWord(search.sought, names[at]))) continue
    return { ...first, sought: first.sought.slice(0, first.sought.length - (names[0]?.length ?? 0)) + last }
  }
  return undefined
}

/**
 * Gives the last branch of a program a condition as well, where its rows have a word of their own as those of the other
 * branches have: a category that no row shows then gets no answer, rather than that of the last one shown. Undefined where
 * the last branch is for everything else.
 */
export function closedBranches(expr: Expr, inputs: readonly Json[]): Expr | undefined {
  const branches = casesOf(expr)
  if (branches === undefined) return undefined
  const { cases, last } = branches
  const parts = cases.map(({ when }) => searchesIn(when))
  const searches = parts.flatMap((part) => part ?? [])
  const [first] = searches
  if (first === undefined || searches.length < MIN_SEARCHES || parts.includes(undefined)) return undefined
  const operand = JSON.stringify(first.text)
  if (searches.some((one) => one.op !== first.op || JSON.stringify(one.text) !== operand)) return undefined
  const texts = valuesOf(first.text, inputs)?.filter((text) => typeof text === 'string')
  const met = searchesMet(searches, inputs)
  if (met === undefined || texts?.length !== inputs.length) return undefined
  if (met.filter((search) => search === searches.length).length < MIN_LAST_ROWS) return undefined
  const search = lastCondition(searches, texts, met)
  if (search === undefined) return undefined
  // A table without the text abstains, where any other expression without an answer fails.
  const unknown = lookup(first.text, [{ key: search.sought, value: null }])
  return branchExpr([...cases, { when: searchExpr(search), then: last }], unknown)
}

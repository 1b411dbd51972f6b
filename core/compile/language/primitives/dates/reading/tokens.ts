import { type Meaning, nameAt } from './lexicon.ts'

/** Longest text that is read as a date. */
export const MAX_DATE_TEXT = 100
const MAX_TOKENS = 40
const MAX_DIGITS = 17
const MAX_SEPARATOR = 3

/** A number, a name, or a separator of a text. */
export type Token =
  /** Spaces around a separator are left out of `text`; a separator of spaces only is empty. */
  | { readonly kind: 'separator'; readonly text: string; readonly isSpaced: boolean; readonly isSpacedAfter: boolean }
  | { readonly kind: 'number'; readonly value: number; readonly digits: string; readonly isYear: boolean }
  | { readonly kind: 'name'; readonly meanings: readonly Meaning[] }

const NUMBER = /[0-9]+/y
const ABBREVIATED_YEAR = /'[0-9]{2}(?![0-9\p{L}])/uy
const SEPARATOR = /[ ,.;:()[\]\-+/|@_~·'"\\#*]+/y
const LETTER = /\p{L}/u

/** Splits a folded text; undefined for a text with a word that is not a part of a date, or with too many parts. */
export function readTokens(text: string, locales: number): readonly Token[] | undefined {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    if (tokens.length >= MAX_TOKENS) return undefined
    const char = text.charAt(at)
    ABBREVIATED_YEAR.lastIndex = at
    const isYear = char === "'" && ABBREVIATED_YEAR.test(text)
    if (isYear) at++
    NUMBER.lastIndex = at
    const digits = NUMBER.exec(text)?.[0]
    if (digits !== undefined) {
      if (digits.length > MAX_DIGITS) return undefined
      tokens.push({ kind: 'number', value: Number(digits), digits, isYear })
      at += digits.length
      continue
    }
    if (LETTER.test(char)) {
      const name = nameAt(text, at, locales)
      if (name === undefined) return undefined
      at = name.end
      tokens.push({ kind: 'name', meanings: name.meanings })
      if (text.charAt(at) === '॰') at++
      continue
    }
    SEPARATOR.lastIndex = at
    const run = separatorBeforeYear(SEPARATOR.exec(text)?.[0], text, at)
    const core = run?.trim()
    if (run === undefined || core === undefined || core.length > MAX_SEPARATOR) return undefined
    tokens.push({ kind: 'separator', text: core, isSpaced: core.length < run.length, isSpacedAfter: run.endsWith(' ') })
    at += run.length
  }
  return tokens
}

/** An apostrophe before two digits belongs to them: `'97`. */
function separatorBeforeYear(run: string | undefined, text: string, at: number): string | undefined {
  if (run === undefined || run.length < 2 || !run.endsWith("'")) return run
  ABBREVIATED_YEAR.lastIndex = at + run.length - 1
  return ABBREVIATED_YEAR.test(text) ? run.slice(0, -1) : run
}

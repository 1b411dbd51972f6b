import type { CharSet, ClassName } from '../../../language/names.ts'
import { classOfRanges, currencyRanges, listedChars, rangesOfClasses } from '../patterns/class-ranges.ts'
import { pyString } from './strings.ts'

/** Classes that are written where they are used; all others are constants. */
const INLINE: Readonly<Partial<Record<ClassName, string>>> = { digit: '0-9', ascii: '\\x00-\\x7f' }

/** White space of the language as a text. */
const SPACES =
  '\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

const wide = (ranges: readonly number[]) => `(\n${wrapped(classOfRanges(ranges, 'python'))})`

function wrapped(source: string): string {
  const lines: string[] = []
  let line = ''
  for (const piece of source.match(/\\(?:x..|u....|U........|.)(?:-\\(?:x..|u....|U........|.))?|.-.|./g) ?? []) {
    if (line.length + piece.length > 100) {
      lines.push(line)
      line = ''
    }
    line += piece
  }
  return [...lines, line].map((text) => `    r"${text}"\n`).join('')
}

/** Constants of characters: classes as the inside of `[...]`, white space as a text. */
export const CLASS_CONSTANTS: Readonly<Record<string, () => string>> = {
  _SPACE: () => pyString(SPACES),
  _WHITE: () => pyString(SPACES.replace('\x85', '')),
  _CURRENCY: () => wide(currencyRanges()),
  _LOWER: () => wide(rangesOfClasses(['lower'])),
  _UPPER: () => wide(rangesOfClasses(['upper'])),
  _ALPHA: () => wide(rangesOfClasses(['alpha'])),
  _ALNUM: () => wide(rangesOfClasses(['alnum'])),
  _PUNCT: () => wide(rangesOfClasses(['punct'])),
  _MARK: () => wide(rangesOfClasses(['mark'])),
  _ANY_DIGIT: () => wide(rangesOfClasses(['anyDigit'])),
}

const NAMES: Readonly<Record<ClassName, string>> = {
  digit: '',
  ascii: '',
  lower: '_LOWER',
  upper: '_UPPER',
  alpha: '_ALPHA',
  alnum: '_ALNUM',
  space: '_SPACE',
  punct: '_PUNCT',
  mark: '_MARK',
  anyDigit: '_ANY_DIGIT',
}

/** The inside of a class, for an f-string where it names constants. */
export function pyMembers(set: CharSet): { readonly source: string; readonly isFormatted: boolean } {
  let isFormatted = false
  const parts = (set.classes ?? []).map((name) => {
    const inline = INLINE[name]
    if (inline !== undefined) return inline
    isFormatted = true
    return `{${NAMES[name]}}`
  })
  const chars = classOfRanges(listedChars(set), 'python')
  return {
    source: parts.join('') + (isFormatted ? chars.replaceAll('{', '{{').replaceAll('}', '}}') : chars),
    isFormatted,
  }
}

import type { Pattern } from '../../../language/ast.ts'
import type { CharSet, ClassName } from '../../../language/names.ts'
import { listedChars, rangesOfClasses } from '../patterns/class-ranges.ts'
import { tokenSource } from '../patterns/tokens.ts'
import { CannotSay } from '../refusal.ts'

/** A text as a constant of Postgres. */
export function sqlString(text: string): string {
  const quoted = text.replaceAll("'", "''")
  // A server without `standard_conforming_strings` reads a backslash before a quote as part of the text.
  if (!/\p{Cc}|\\(?:'|$)/u.test(text)) return `'${quoted}'`
  return `E'${quoted.replaceAll('\\', '\\\\').replaceAll(/\p{Cc}/gu, (char) => unicode(char.codePointAt(0) ?? 0))}'`
}

function unicode(codePoint: number): string {
  const hex = codePoint.toString(16)
  return codePoint < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** A character in a regular expression of Postgres, in a class or outside. */
function regexChar(codePoint: number): string {
  const char = String.fromCodePoint(codePoint)
  if (/[\w ,:;@%=<>/&#!~"'`]/.test(char)) return char
  return /[!-~]/.test(char) ? `\\${char}` : unicode(codePoint)
}

function classOf(ranges: readonly number[]): string {
  let out = ''
  for (let at = 0; at < ranges.length; at += 2) {
    // Postgres has no texts with U+0000.
    const [first, last] = [Math.max(1, ranges[at] ?? 1), ranges[at + 1] ?? 1]
    out += first === last ? regexChar(first) : `${regexChar(first)}-${regexChar(last)}`
  }
  return out
}

/** The inside of a class. */
export function sqlMembers(set: CharSet): string {
  const { classes = [] } = set
  const named = classes.map((name: ClassName) => classOf(rangesOfClasses([name]))).join('')
  return named + classOf(listedChars(set))
}

/** A pattern as a regular expression of Postgres. Throws `CannotSay` for one that Postgres matches otherwise. */
export function sqlPattern(pattern: Pattern): string {
  if (pattern.kind === 'literal')
    return Array.from(pattern.text, (char) => regexChar(char.codePointAt(0) ?? 0)).join('')
  if (pattern.kind === 'regex') {
    throw new CannotSay('regex', 'Postgres takes the longest match, and the program the first that fits')
  }
  if (pattern.kind === 'text') throw new CannotSay('text', 'a text that is computed is no pattern')
  if (pattern.name === 'start' || pattern.name === 'end')
    throw new CannotSay(pattern.name, 'an empty match has no place')
  return tokenSource(pattern.name, (classes) => sqlMembers({ classes }))
}

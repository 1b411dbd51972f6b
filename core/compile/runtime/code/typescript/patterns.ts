import type { CharSet, ClassName, TokenName } from '../../../language/names.ts'
import { TEXT } from '../../../language/value-types.ts'
import { classOfRanges, listedChars, rangesOfClasses } from '../patterns/class-ranges.ts'
import { escapeLiteral, translateRegex } from '../patterns/regex.ts'
import { tokenSource } from '../patterns/tokens.ts'
import type { PatternTable } from '../writing/dialect.ts'
import type { Uses } from '../writing/uses.ts'

/** Classes that are written where they are used; all others are constants. */
const INLINE: Readonly<Partial<Record<ClassName, string>>> = { digit: '0-9', ascii: '\\x00-\\x7f', space: '\\s\\x85' }

/** The inside of a class, and whether it is a template that names constants. */
export function tsMembers(set: CharSet, uses: Uses): { readonly source: string; readonly isTemplate: boolean } {
  let isTemplate = false
  const parts = (set.classes ?? []).map((name) => {
    const inline = INLINE[name]
    if (inline !== undefined) return inline
    isTemplate = true
    const wanted = `${name.replaceAll(/([A-Z])/g, '_$1').toUpperCase()}_CLASS`
    const constant = uses.constant(wanted, wrapped(classOfRanges(rangesOfClasses([name]), 'typescript')))
    return `\${${constant}}`
  })
  return { source: parts.join('') + classOfRanges(listedChars(set), 'typescript'), isTemplate }
}

function wrapped(source: string): string {
  const lines: string[] = []
  let line = ''
  for (const piece of source.match(/\\(?:x..|u....|u\{\w+\}|.)(?:-\\(?:x..|u....|u\{\w+\}|.))?|.-.|./g) ?? []) {
    if (line.length + piece.length > 100) {
      lines.push(line)
      line = ''
    }
    line += piece
  }
  return [...lines, line].map((text) => `\n  String.raw\`${text}\``).join(' +')
}

/** A regular expression: a literal, or one that is made of constants. */
export function tsRegex(source: string, isTemplate: boolean, flags: string): string {
  if (source === '') return `/(?:)/${flags}`
  return isTemplate ? `new RegExp(String.raw\`${source.replaceAll('`', '\\x60')}\`, '${flags}')` : `/${source}/${flags}`
}

function token(name: Exclude<TokenName, 'start' | 'end'>, uses: Uses): string {
  let isTemplate = false
  const source = tokenSource(name, (classes) => {
    const members = tsMembers({ classes }, uses)
    isTemplate ||= members.isTemplate
    return members.source
  })
  const code = tsRegex(source, isTemplate, 'gu')
  return isTemplate ? uses.constant(`${name.toUpperCase()}_TOKEN`, code) : code
}

/** Patterns as regular expressions of JavaScript with the flags `g` and `u`. */
export const TS_PATTERNS: PatternTable = {
  token: ({ name }, _captures, { uses }) => (name === 'start' ? '/^/gu' : name === 'end' ? '/$/gu' : token(name, uses)),
  literal: ({ text }) => tsRegex(escapeLiteral(text, 'typescript'), false, 'gu'),
  text: ({ text }, _captures, write) => write.call('literalPattern', write.operand(text, TEXT)),
  regex: ({ regex, ignoreCase = false }, captures) =>
    tsRegex(translateRegex(regex, 'typescript', ignoreCase, captures).source, false, ignoreCase ? 'giu' : 'gu'),
}

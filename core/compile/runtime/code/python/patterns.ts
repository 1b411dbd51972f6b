import { escapeLiteral, translateRegex } from '../patterns/regex.ts'
import { tokenSource } from '../patterns/tokens.ts'
import type { TokenName } from '../../../language/names.ts'
import { TEXT } from '../../../language/value-types.ts'
import type { PatternTable } from '../writing/dialect.ts'
import type { Uses } from '../writing/uses.ts'
import { pyMembers } from './classes.ts'
import { pyRaw } from './strings.ts'

function tokenPattern(name: Exclude<TokenName, 'start' | 'end'>, uses: Uses): string {
  let isFormatted = false
  const source = tokenSource(name, (classes) => {
    const members = pyMembers({ classes })
    isFormatted ||= members.isFormatted
    return members.source
  })
  // Counts of repetitions are in braces too.
  const body = isFormatted ? source.replaceAll(/\{(\d[\d,]*)\}/g, '{{$1}}') : source
  const code = pyRaw(body, isFormatted)
  return isFormatted ? uses.constant(`_${name.toUpperCase()}_TOKEN`, `re.compile(${code})`) : code
}

/** Patterns as regular expressions of Python: a text, or a compiled constant. */
export const PY_PATTERNS: PatternTable = {
  token: ({ name }, _captures, { uses }) => {
    if (name === 'start') return pyRaw('\\A')
    if (name === 'end') return pyRaw('\\Z')
    return tokenPattern(name, uses)
  },
  literal: ({ text }) => pyRaw(escapeLiteral(text, 'python')),
  text: ({ text }, _captures, write) => write.call('_literal', write.operand(text, TEXT)),
  regex: ({ regex, ignoreCase = false }, captures) =>
    pyRaw(translateRegex(regex, 'python', ignoreCase, captures).source),
}

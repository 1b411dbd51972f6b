import type { SEARCHING } from '../../../../language/operators/text/search.ts'
import { TEXT } from '../../../../language/value-types.ts'
import { mayMatchEmpty } from '../../patterns/tokens.ts'
import type { OperatorTable } from '../../writing/dialect.ts'
import { pyString } from '../strings.ts'

/** Searching texts. */
export const PY_SEARCHING: Pick<OperatorTable, keyof typeof SEARCHING> = {
  extract: ({ text, pattern, occurrence, group = 0 }, write) => {
    const code = write.operand(text, TEXT)
    const args = group > 0 ? [String(occurrence), String(group)] : occurrence === 1 ? [] : [String(occurrence)]
    return `${write.call('_match', write.pattern(pattern, group > 0), code, ...args)}.group(${group === 0 ? '' : group})`
  },
  extractAll: ({ text, pattern, group = 0 }, write) => {
    const code = write.operand(text, TEXT)
    const regex = write.pattern(pattern, group > 0)
    const isPlain = !mayMatchEmpty(pattern)
    if (group === 0 && isPlain) return `re.findall(${regex}, ${code})`
    const matches = isPlain ? `re.finditer(${regex}, ${code})` : write.call('_matches', regex, code)
    const tail = group === 0 ? '' : ` if match.group(${group}) is not None`
    return `[match.group(${group}) for match in ${matches}${tail}]`
  },
  count: ({ text, pattern }, write) => {
    if (pattern.kind === 'literal') return `${write.atom(text, TEXT)}.count(${pyString(pattern.text)})`
    const code = write.operand(text, TEXT)
    const regex = write.pattern(pattern)
    return mayMatchEmpty(pattern)
      ? `len(list(${write.call('_matches', regex, code)}))`
      : `len(re.findall(${regex}, ${code}))`
  },
  indexOf: ({ text, pattern, occurrence }, write) => {
    const name = write.name(text, TEXT, 'text')
    const found = `${write.call('_match', write.pattern(pattern), name, occurrence === 1 ? '' : String(occurrence))}.start()`
    return write.call('_unit', name, found)
  },
  contains: ({ text, pattern }, write) => {
    if (pattern.kind === 'literal') return `${pyString(pattern.text)} in ${write.atom(text, TEXT)}`
    const code = write.operand(text, TEXT)
    return `re.search(${write.pattern(pattern)}, ${code}) is not None`
  },
  startsWith: ({ text, pattern }, write) => {
    if (pattern.kind === 'literal') return `${write.atom(text, TEXT)}.startswith(${pyString(pattern.text)})`
    const code = write.operand(text, TEXT)
    return `re.match(${write.pattern(pattern)}, ${code}) is not None`
  },
  endsWith: ({ text, pattern }, write) => {
    if (pattern.kind === 'literal') return `${write.atom(text, TEXT)}.endswith(${pyString(pattern.text)})`
    const code = write.operand(text, TEXT)
    if (pattern.kind === 'text') return write.call('_ends_with_text', code, write.operand(pattern.text, TEXT))
    return write.call('_ends_with', write.pattern(pattern), code)
  },
  matches: ({ text, pattern }, write) => {
    if (pattern.kind === 'literal') return `${write.atom(text, TEXT)} == ${pyString(pattern.text)}`
    const code = write.operand(text, TEXT)
    return `re.fullmatch(${write.pattern(pattern)}, ${code}) is not None`
  },
}

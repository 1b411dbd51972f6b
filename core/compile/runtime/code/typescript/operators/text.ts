import type { Pos } from '../../../../language/ast.ts'
import type { CharSet } from '../../../../language/names.ts'
import type { CASING } from '../../../../language/operators/text/casing.ts'
import type { EDITING } from '../../../../language/operators/text/edit.ts'
import type { MAKING } from '../../../../language/operators/text/make.ts'
import type { MEASURING } from '../../../../language/operators/text/measure.ts'
import type { REGIONS } from '../../../../language/operators/text/regions.ts'
import type { SEARCHING } from '../../../../language/operators/text/search.ts'
import { LIST, NUMBER, OBJECT, TEXT } from '../../../../language/value-types.ts'
import { translateRegex } from '../../patterns/regex.ts'
import { mayMatchEmpty } from '../../patterns/tokens.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import { tsMembers, tsRegex } from '../patterns.ts'
import { inTemplate, tsLiteral, tsString } from '../strings.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

/** True for a position that is an edge of a match or of the text, and so cuts no character. */
function isEdge(pos: Pos): boolean {
  if (pos.op === 'absPos') return pos.offset === 0
  return pos.op === 'matchPos' || pos.op === 'betweenPos' || pos.op === 'seekPos'
}

/** Putting texts together, taking them apart, and their case. */
export const TS_MAKING: TableOf<typeof MAKING & typeof CASING> = {
  concat: ({ parts }, write) => {
    const pieces = parts.map((part) =>
      part.op === 'literal' && typeof part.value === 'string'
        ? inTemplate(part.value)
        : `\${${write.operand(part, TEXT)}}`,
    )
    return `\`${pieces.join('')}\``
  },
  slice: ({ text, start, end }, write) => {
    const isFirst = start.op === 'absPos' && start.from === 'start' && start.offset === 0
    const isLast = end.op === 'absPos' && end.from === 'end' && end.offset === 0
    const name = write.name(text, TEXT, 'text')
    if (isFirst && isLast) return name
    const [from, to] = [write.position(start, name), write.position(end, name)]
    if (isEdge(start) && isEdge(end) && (isFirst || isLast)) return `${name}.slice(${from}${isLast ? '' : `, ${to}`})`
    return write.call('cut', name, from, to)
  },
  upper: ({ text }, write) => `${write.atom(text, TEXT)}.toUpperCase()`,
  lower: ({ text }, write) => `${write.atom(text, TEXT)}.toLowerCase()`,
  capitalise: ({ text }, write) => write.call('capitaliseText', write.operand(text, TEXT)),
  sentence: ({ text }, write) => write.call('sentence', write.operand(text, TEXT)),
  title: ({ text, words = 'word' }, write) => write.call('titleText', write.operand(text, TEXT), tsString(words)),
}

function stripped(set: CharSet, isKept: boolean, code: string, write: Writer): string {
  const { source, isTemplate } = tsMembers(set, write.uses)
  if (source === '') return isKept ? `${code}.slice(0, 0)` : code
  return `${code}.replaceAll(${tsRegex(`[${isKept ? '^' : ''}${source}]+`, isTemplate, 'gu')}, '')`
}

/** Changing texts. */
export const TS_EDITING: TableOf<typeof EDITING> = {
  trim: ({ text, side = 'both', set = { classes: ['space'] } }, write) => {
    const code = write.operand(text, TEXT)
    const { source, isTemplate } = tsMembers(set, write.uses)
    if (source === '') return code
    const members = isTemplate ? `String.raw\`${source}\`` : tsString(source)
    return write.call('trimText', code, tsString(side), members)
  },
  collapseSpace: ({ text }, write) => `${write.atom(text, TEXT)}.replaceAll(/[\\s\\x85]+/g, ' ')`,
  pad: ({ text, side, width, fill }, write) =>
    write.call('pad', write.operand(text, TEXT), tsString(side), write.operand(width, NUMBER), tsString(fill)),
  replace: ({ text, find, with: put, occurrence }, write) => {
    const code = write.atom(text, TEXT)
    const isPlain =
      occurrence === undefined && put.op === 'literal' && typeof put.value === 'string' && !put.value.includes('$')
    if (isPlain && find.kind === 'literal')
      return `${code}.replaceAll(${tsString(find.text)}, ${write.operand(put, TEXT)})`
    const pattern = write.pattern(find)
    const given = write.operand(put, TEXT)
    if (isPlain && !mayMatchEmpty(find)) return `${code}.replaceAll(${pattern}, ${given})`
    return write.call('replaceMatches', pattern, code, given, occurrence === undefined ? '' : String(occurrence))
  },
  split: ({ text, by, dropEmpty = false }, write) => {
    const code = write.atom(text, TEXT)
    const parts =
      by.kind === 'literal' && by.text.length > 0
        ? `${code}.split(${tsString(by.text)})`
        : write.call('splitAtMatches', write.pattern(by), code)
    return dropEmpty ? `${parts}.filter((part) => part !== '')` : parts
  },
  join: ({ list, separator }, write) => write.call('join', write.operand(list, LIST), write.operand(separator, TEXT)),
  repeat: ({ text, times }, write) => write.call('repeat', write.operand(text, TEXT), write.operand(times, NUMBER)),
  removeChars: ({ text, set }, write) => stripped(set, false, write.atom(text, TEXT), write),
  keepChars: ({ text, set }, write) => stripped(set, true, write.atom(text, TEXT), write),
}

/** Searching texts. */
export const TS_SEARCHING: TableOf<typeof SEARCHING> = {
  extract: ({ text, pattern, occurrence, group = 0 }, write) => {
    const code = write.operand(text, TEXT)
    const args = group > 0 ? [String(occurrence), String(group)] : occurrence === 1 ? [] : [String(occurrence)]
    return write.call('matchText', write.pattern(pattern, group > 0), code, ...args)
  },
  extractAll: ({ text, pattern, group = 0 }, write) => {
    const code = write.operand(text, TEXT)
    return write.call('allMatches', write.pattern(pattern, group > 0), code, group === 0 ? '' : String(group))
  },
  count: ({ text, pattern }, write) => {
    if (pattern.kind === 'literal') return `${write.atom(text, TEXT)}.split(${tsString(pattern.text)}).length - 1`
    const code = write.operand(text, TEXT)
    return `${write.call('allMatches', write.pattern(pattern), code)}.length`
  },
  indexOf: ({ text, pattern, occurrence }, write) => {
    const code = write.operand(text, TEXT)
    return write.call('edgeOf', write.pattern(pattern), code, String(occurrence), "'start'")
  },
  contains: ({ text, pattern }, write) => {
    const code = write.atom(text, TEXT)
    if (pattern.kind === 'literal') return `${code}.includes(${tsString(pattern.text)})`
    return `${code}.search(${write.pattern(pattern)}) >= 0`
  },
  startsWith: ({ text, pattern }, write) => {
    const code = write.atom(text, TEXT)
    if (pattern.kind === 'literal') return `${code}.startsWith(${tsString(pattern.text)})`
    return `${code}.search(${write.pattern(pattern)}) === 0`
  },
  endsWith: ({ text, pattern }, write) => {
    const code = write.atom(text, TEXT)
    if (pattern.kind === 'literal') return `${code}.endsWith(${tsString(pattern.text)})`
    if (pattern.kind === 'text') return write.call('endsWithText', code, write.operand(pattern.text, TEXT))
    return write.call('endsWithMatch', write.pattern(pattern), code)
  },
  matches: ({ text, pattern }, write) => {
    const code = write.atom(text, TEXT)
    if (pattern.kind === 'literal') return `${code} === ${tsString(pattern.text)}`
    return write.call('matchesWhole', write.pattern(pattern), code)
  },
}

/** Measuring texts, lists and objects, and regions between landmarks. */
export const TS_MEASURING: TableOf<typeof MEASURING & typeof REGIONS> = {
  length: ({ of }, write) => {
    const types = write.types(of)
    if ((types & OBJECT) === 0 && (types & ~(TEXT | LIST)) === 0) return `${write.atom(of, TEXT | LIST)}.length`
    return write.call('sizeOf', write.operand(of, TEXT | LIST | OBJECT))
  },
  reverse: ({ of }, write) => {
    const types = write.types(of)
    const code = write.operand(of, TEXT | LIST)
    if (types === TEXT) return `Array.from(${code}).reverse().join('')`
    return write.call('reversed', code)
  },
  chars: ({ text }, write) => `Array.from(${write.operand(text, TEXT)})`,
  normalize: ({ text, form }, write) => {
    const code = write.atom(text, TEXT)
    if (form === 'unaccent') return `${code}.normalize('NFKD').replaceAll(/\\p{Mn}+/gu, '').normalize('NFC')`
    if (form === 'asciiDigits') return write.call('withAsciiDigits', code)
    return `${code}.normalize('${form.toUpperCase()}')`
  },
  between: ({ text, after, before, occurrence }, write) =>
    write.call('between', write.operand(text, TEXT), tsLiteral(after), tsLiteral(before), String(occurrence)),
  betweenAll: ({ text, after, before }, write) =>
    write.call('betweenAll', write.operand(text, TEXT), tsLiteral(after), tsLiteral(before)),
  groups: ({ text, regex }, write) =>
    write.call(
      'groupsOf',
      tsRegex(translateRegex(regex, 'typescript', false, true).source, false, 'gu'),
      write.operand(text, TEXT),
    ),
}

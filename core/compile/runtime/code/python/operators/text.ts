import type { Pos } from '../../../../language/ast.ts'
import type { CharSet } from '../../../../language/names.ts'
import type { CASING } from '../../../../language/operators/text/casing.ts'
import type { EDITING } from '../../../../language/operators/text/edit.ts'
import type { MAKING } from '../../../../language/operators/text/make.ts'
import type { MEASURING } from '../../../../language/operators/text/measure.ts'
import type { REGIONS } from '../../../../language/operators/text/regions.ts'
import { LIST, NUMBER, OBJECT, TEXT } from '../../../../language/value-types.ts'
import { mayMatchEmpty } from '../../patterns/tokens.ts'
import { translateRegex } from '../../patterns/regex.ts'
import { atom } from '../../writing/atoms.ts'
import type { OperatorTable } from '../../writing/dialect.ts'
import { pyMembers } from '../classes.ts'
import { pyConcat, pyLiteral, pyRaw, pyString } from '../strings.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

function members(set: CharSet, wrap: (source: string) => string): string {
  const { source, isFormatted } = pyMembers(set)
  // A set without members is no class.
  return source === '' ? '"(?!)"' : pyRaw(wrap(source), isFormatted)
}

/** True for a position that is an edge of a match or of the text, and so cuts no character. */
function isEdge(pos: Pos): boolean {
  if (pos.op === 'absPos') return pos.offset === 0
  return pos.op === 'matchPos' || pos.op === 'betweenPos' || pos.op === 'seekPos'
}

/** Putting texts together, taking them apart, and their case. */
export const PY_MAKING: TableOf<typeof MAKING & typeof CASING> = {
  concat: ({ parts }, write) =>
    pyConcat(
      parts.map((part) =>
        part.op === 'literal' && typeof part.value === 'string'
          ? { text: part.value }
          : { code: write.atom(part, TEXT) },
      ),
    ),
  slice: ({ text, start, end }, write) => {
    const isFirst = start.op === 'absPos' && start.from === 'start' && start.offset === 0
    const isLast = end.op === 'absPos' && end.from === 'end' && end.offset === 0
    const name = write.name(text, TEXT, 'text')
    if (isFirst && isLast) return name
    const [from, to] = [isFirst ? '' : write.position(start, name), isLast ? '' : write.position(end, name)]
    if (isEdge(start) && isEdge(end) && (isFirst || isLast)) {
      return `${name}[${from}${from.includes(' ') ? ' :' : ':'}${to.includes(' ') ? ' ' : ''}${to}]`
    }
    return write.call('_cut', name, from === '' ? '0' : from, to === '' ? `len(${name})` : to)
  },
  upper: ({ text }, write) => write.call('_upper', write.operand(text, TEXT)),
  lower: ({ text }, write) => write.call('_lower', write.operand(text, TEXT)),
  capitalise: ({ text }, write) => write.call('_capitalise', write.operand(text, TEXT)),
  sentence: ({ text }, write) => write.call('_capitalise', write.call('_lower', write.operand(text, TEXT))),
  title: ({ text, words = 'word' }, write) =>
    write.call('_title', write.operand(text, TEXT), words === 'word' ? '' : pyString(words)),
}

function replacement(code: string): string {
  return /^(?:\w+|"(?:[^"\\]|\\.)*")$/.test(code) ? code : ''
}

/** Changing texts. */
export const PY_EDITING: TableOf<typeof EDITING> = {
  trim: ({ text, side = 'both', set }, write) => {
    const code = write.atom(text, TEXT)
    const method = side === 'both' ? 'strip' : side === 'start' ? 'lstrip' : 'rstrip'
    const { classes = [], chars = '' } = set ?? { classes: ['space'] as const }
    if (classes.length === 0) return `${code}.${method}(${pyString(chars)})`
    if (classes.every((name) => name === 'space')) {
      return `${code}.${method}(${chars === '' ? '_SPACE' : `_SPACE + ${pyString(chars)}`})`
    }
    const { source, isFormatted } = pyMembers({ classes, chars })
    const given = pyRaw(source, isFormatted)
    return write.call('_trim', code, given, side === 'both' ? '' : pyString(side))
  },
  collapseSpace: ({ text }, write) => {
    return `re.sub(f"[{_SPACE}]+", " ", ${write.operand(text, TEXT)})`
  },
  pad: ({ text, side, width, fill }, write) =>
    write.call('_pad', write.operand(text, TEXT), pyString(side), write.operand(width, NUMBER), pyString(fill)),
  replace: ({ text, find, with: put, occurrence }, write) => {
    const code = write.atom(text, TEXT)
    const isPlain = occurrence === undefined && !mayMatchEmpty(find) && find.kind !== 'text'
    const pattern = isPlain && find.kind === 'literal' ? '' : write.pattern(find)
    const given = write.operand(put, TEXT)
    if (!isPlain)
      return write.call('_replace', pattern, code, given, occurrence === undefined ? '' : String(occurrence))
    if (find.kind === 'literal') return `${code}.replace(${pyString(find.text)}, ${given})`
    if (put.op === 'literal' && typeof put.value === 'string') {
      return `re.sub(${pattern}, ${pyString(put.value.replaceAll('\\', '\\\\'))}, ${code})`
    }
    const name = replacement(given) === '' ? write.bind('replacement', given) : given
    return `re.sub(${pattern}, lambda _: ${name}, ${code})`
  },
  split: ({ text, by, dropEmpty = false }, write) => {
    const code = write.atom(text, TEXT)
    const parts =
      by.kind === 'literal'
        ? `${code}.split(${pyString(by.text)})`
        : mayMatchEmpty(by)
          ? write.call('_split', write.pattern(by), code)
          : `re.split(${write.pattern(by)}, ${code})`
    return dropEmpty ? `[part for part in ${parts} if part]` : parts
  },
  join: ({ list, separator }, write) => {
    const items = write.operand(list, LIST)
    return `${write.atom(separator, TEXT)}.join(${items})`
  },
  repeat: ({ text, times }, write) => {
    const isCount =
      times.op === 'literal' && typeof times.value === 'number' && Number.isInteger(times.value) && times.value >= 0
    if (isCount) return `${write.atom(text, TEXT)} * ${pyLiteral(times.value)}`
    return write.call('_repeat', write.operand(text, TEXT), write.operand(times, NUMBER))
  },
  removeChars: ({ text, set }, write) =>
    `re.sub(${members(set, (source) => `[${source}]+`)}, "", ${write.operand(text, TEXT)})`,
  keepChars: ({ text, set }, write) => {
    const code = write.operand(text, TEXT)
    const { source } = pyMembers(set)
    return source === '' ? `${atom(code)}[:0]` : `re.sub(${members(set, (inside) => `[^${inside}]+`)}, "", ${code})`
  },
}

/** Measuring texts, lists and objects. */
export const PY_MEASURING: TableOf<typeof MEASURING> = {
  length: ({ of }, write) => {
    const code = write.operand(of, TEXT | LIST | OBJECT)
    const types = write.types(of)
    if (types === TEXT) return write.call('_length', code)
    return (types & TEXT) === 0 ? `len(${code})` : write.call('_size', code)
  },
  reverse: ({ of }, write) => `${write.atom(of, TEXT | LIST)}[::-1]`,
  chars: ({ text }, write) => `list(${write.operand(text, TEXT)})`,
  normalize: ({ text, form }, write) => {
    const code = write.operand(text, TEXT)
    if (form === 'unaccent') return write.call('_unaccent', code)
    if (form === 'asciiDigits') return write.call('_ascii_digits', code)
    return `unicodedata.normalize(${pyString(form.toUpperCase())}, ${code})`
  },
}

/** Regions between landmarks, and groups. */
export const PY_REGIONS: TableOf<typeof REGIONS> = {
  between: ({ text, after, before, occurrence }, write) =>
    write.call('_between', write.operand(text, TEXT), pyLiteral(after), pyLiteral(before), String(occurrence)),
  betweenAll: ({ text, after, before }, write) =>
    write.call('_between_all', write.operand(text, TEXT), pyLiteral(after), pyLiteral(before)),
  groups: ({ text, regex }, write) =>
    write.call('_groups', pyRaw(translateRegex(regex, 'python', false, true).source), write.operand(text, TEXT)),
}

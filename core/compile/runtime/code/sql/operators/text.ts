import type { Expr, Pattern } from '../../../../language/ast.ts'
import type { CASING } from '../../../../language/operators/text/casing.ts'
import type { EDITING } from '../../../../language/operators/text/edit.ts'
import type { MAKING } from '../../../../language/operators/text/make.ts'
import type { MEASURING } from '../../../../language/operators/text/measure.ts'
import type { REGIONS } from '../../../../language/operators/text/regions.ts'
import type { SEARCHING } from '../../../../language/operators/text/search.ts'
import { TEXT } from '../../../../language/value-types.ts'
import { CannotSay } from '../../refusal.ts'
import { sqlMembers, sqlPattern, sqlString } from '../patterns.ts'
import { bool, number, type SqlCode, type SqlPrinter, type SqlTableOf, text, texts, units } from '../table.ts'
import { NESTED, NUMBERS, TEXTS } from './refused.ts'

/** Longest text that padding and repeating make. */
const MAX_MADE = 10_000

/** A text in upper or lower case, whatever the collation of the database is. */
export function caseOf(name: 'upper' | 'lower', code: string): string {
  return `${name}(${code} COLLATE pg_unicode_fast)`
}

const cased =
  (name: 'upper' | 'lower'): SqlPrinter<{ readonly text: Expr }> =>
  ({ text: given }, write) =>
    text(caseOf(name, write.text(given)))

/** The first letter of a text in upper case. */
function capitalised(code: string): SqlCode {
  const letter = sqlString(`[${sqlMembers({ classes: ['alpha'] })}]`)
  const changed = `left(whole, letter - 1) || ${caseOf('upper', 'substr(whole, letter, 1)')} || substr(whole, letter + 1)`
  return text(
    `(SELECT CASE letter WHEN 0 THEN whole ELSE ${changed} END ` +
      `FROM (SELECT whole, regexp_instr(whole, ${letter}) AS letter FROM (SELECT ${code} AS whole) AS given) AS capitalised)`,
  )
}

/** Changes of case. */
export const SQL_CASING: SqlTableOf<typeof CASING> = {
  upper: cased('upper'),
  lower: cased('lower'),
  capitalise: ({ text: given }, write) => capitalised(write.text(given)),
  sentence: ({ text: given }, write) => capitalised(caseOf('lower', write.text(given))),
  title: TEXTS,
}

function filtered(code: string, members: string, isKept: boolean): SqlCode {
  if (members === '') return text(isKept ? `left(${code}, 0)` : code)
  return text(`regexp_replace(${code}, ${sqlString(`[${isKept ? '^' : ''}${members}]+`)}, '', 'g')`)
}

function constantCount(node: Expr): number | undefined {
  const value = node.op === 'literal' ? node.value : undefined
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_MADE ? value : undefined
}

/** Making and changing texts. */
export const SQL_EDITING: SqlTableOf<typeof EDITING & typeof MAKING> = {
  concat: ({ parts }, write) => text(`(${parts.map((part) => write.text(part)).join(' || ')})`),
  slice: ({ text: given, start, end }, write) => {
    const cut = write.names.fresh('cut')
    const [from, to] = [write.position(start, `${cut}.whole`), write.position(end, `${cut}.whole`)]
    return text(
      `(SELECT CASE WHEN cut_from <= cut_to THEN substr(whole, cut_from + 1, cut_to - cut_from) END ` +
        `FROM (SELECT whole, ${from} AS cut_from, ${to} AS cut_to FROM (SELECT ${write.text(given)} AS whole) AS ${cut}) AS ${cut})`,
    )
  },
  trim: ({ text: given, side = 'both', set = { classes: ['space'] } }, write) => {
    const members = sqlMembers(set)
    const ends = [...(side === 'end' ? [] : [`^[${members}]+`]), ...(side === 'start' ? [] : [`[${members}]+$`])]
    const code = write.text(given)
    return text(members === '' ? code : `regexp_replace(${code}, ${sqlString(ends.join('|'))}, '', 'g')`)
  },
  collapseSpace: ({ text: given }, write) =>
    text(`regexp_replace(${write.text(given)}, ${sqlString(`[${sqlMembers({ classes: ['space'] })}]+`)}, ' ', 'g')`),
  pad: ({ text: given, side, width, fill }, write) => {
    const wanted = constantCount(width)
    if (fill.length !== 1 || wanted === undefined) throw new CannotSay('pad', 'only a constant width and one character')
    const [whole, padded] = [write.names.fresh('padded_text'), write.names.fresh('padded')]
    const filling = `repeat(${sqlString(fill)}, ${wanted} - ${units(whole)})`
    const parts = side === 'start' ? `${filling} || ${whole}` : `${whole} || ${filling}`
    return text(`(SELECT ${parts} FROM (SELECT ${write.text(given)} AS ${whole}) AS ${padded})`)
  },
  replace: ({ text: given, find, with: put, occurrence }, write) => {
    if (occurrence !== undefined || put.op !== 'literal' || typeof put.value !== 'string') {
      throw new CannotSay('replace', 'only every match is replaced, and by a constant')
    }
    const code = write.text(given)
    if (find.kind === 'literal') return text(`replace(${code}, ${sqlString(find.text)}, ${sqlString(put.value)})`)
    const escaped = sqlString(put.value.replaceAll('\\', '\\\\'))
    return text(`regexp_replace(${code}, ${sqlString(sqlPattern(find))}, ${escaped}, 'g')`)
  },
  split: ({ text: given, by, dropEmpty = false }, write) => {
    const parts = `regexp_split_to_array(${write.text(given)}, ${sqlString(sqlPattern(by))})`
    return texts(dropEmpty ? `array_remove(${parts}, '')` : parts)
  },
  join: ({ list, separator }, write) => text(`array_to_string(${write.texts(list)}, ${write.text(separator)})`),
  repeat: ({ text: given, times }, write) => {
    const count = constantCount(times)
    if (count === undefined) throw new CannotSay('repeat', 'only a constant number of times')
    return text(`repeat(${write.text(given)}, ${count})`)
  },
  removeChars: ({ text: given, set }, write) => filtered(write.text(given), sqlMembers(set), false),
  keepChars: ({ text: given, set }, write) => filtered(write.text(given), sqlMembers(set), true),
}

/** A match, counted from the end when the occurrence is negative. */
function nthMatch(code: string, pattern: Pattern, occurrence: number): string {
  const regex = sqlString(sqlPattern(pattern))
  if (occurrence > 0) return `regexp_substr(${code}, ${regex}, 1, ${occurrence})`
  const count = `regexp_count(${code}, ${regex})`
  return `CASE WHEN ${count} >= ${-occurrence} THEN regexp_substr(${code}, ${regex}, 1, ${count} + ${1 + occurrence}) END`
}

/** Searching texts, and their lengths. */
export const SQL_SEARCHING: SqlTableOf<typeof SEARCHING & typeof MEASURING & typeof REGIONS> = {
  extract: ({ text: given, pattern, occurrence, group = 0 }, write) => {
    if (group > 0) throw new CannotSay('extract', 'groups belong to regular expressions')
    return text(nthMatch(write.text(given), pattern, occurrence))
  },
  extractAll: ({ text: given, pattern, group = 0 }, write) => {
    if (group > 0) throw new CannotSay('extractAll', 'groups belong to regular expressions')
    const code = write.total(given, TEXT, 'text')
    const matches = `regexp_matches(${code}, ${sqlString(sqlPattern(pattern))}, 'g')`
    return texts(`ARRAY(SELECT match[1] FROM ${matches} WITH ORDINALITY AS matches(match, place) ORDER BY place)`)
  },
  count: ({ text: given, pattern }, write) =>
    number(`regexp_count(${write.text(given)}, ${sqlString(sqlPattern(pattern))})::double precision`),
  indexOf: NUMBERS,
  contains: ({ text: given, pattern }, write) => {
    const code = write.text(given)
    if (pattern.kind === 'literal') return bool(`(strpos(${code}, ${sqlString(pattern.text)}) > 0)`)
    return bool(`(${code} ~ ${sqlString(sqlPattern(pattern))})`)
  },
  startsWith: ({ text: given, pattern }, write) => {
    if (pattern.kind === 'literal') return bool(`starts_with(${write.text(given)}, ${sqlString(pattern.text)})`)
    return bool(`(regexp_instr(${write.text(given)}, ${sqlString(sqlPattern(pattern))}) = 1)`)
  },
  endsWith: ({ text: given, pattern }, write) => {
    if (pattern.kind !== 'literal') throw new CannotSay('endsWith', 'only a constant text')
    return bool(`(right(${write.text(given)}, ${Array.from(pattern.text).length}) = ${sqlString(pattern.text)})`)
  },
  matches: ({ text: given, pattern }, write) => {
    const code = write.text(given)
    if (pattern.kind === 'literal') return bool(`(${code} = ${sqlString(pattern.text)})`)
    return bool(`(${code} ~ ${sqlString(`^(?:${sqlPattern(pattern)})$`)})`)
  },
  groups: NESTED,
  length: ({ of }, write) => {
    const { code, type } = write.print(of, TEXT)
    if (type === 'texts') return number(`cardinality(${code})::double precision`)
    if (type !== 'text') throw new CannotSay('length', 'only of texts and lists of texts')
    return number(`${units(code)}::double precision`)
  },
  reverse: ({ of }, write) => {
    const { code, type } = write.print(of, TEXT)
    if (type === 'texts') return texts(`array_reverse(${code})`)
    if (type !== 'text') throw new CannotSay('reverse', 'only of texts and lists of texts')
    return text(`reverse(${code})`)
  },
  chars: ({ text: given }, write) => texts(`string_to_array(${write.text(given)}, NULL)`),
  normalize: ({ text: given, form }, write) => {
    if (form === 'unaccent' || form === 'asciiDigits') throw new CannotSay('normalize', `Postgres has no form ${form}`)
    return text(`normalize(${write.text(given)}, ${form.toUpperCase()})`)
  },
  between: TEXTS,
  betweenAll: NESTED,
}

import type { TextExpr } from '../ast.ts'
import { EDGES, NORMAL_FORMS, SIDES, WORD_RULES } from '../names.ts'
import { BOOLEAN, LIST, NUMBER, OBJECT, TEXT } from '../value-types.ts'
import {
  choice,
  expr,
  exprs,
  flag,
  integer,
  list,
  occurrence,
  type OperatorTable,
  optional,
  pattern,
  pos,
  text,
} from './fields.ts'

const group = 'text'
const charSet = { kind: 'charSet' } as const
const regexGroup = optional(integer(0, 20))

/** Operators that make or search texts. */
export const TEXT_OPERATORS: OperatorTable<TextExpr['op']> = {
  concat: { group, fields: { parts: exprs(TEXT) }, result: TEXT, meaning: 'The texts one after the other.' },
  slice: {
    group,
    fields: { text: expr(TEXT), start: pos, end: pos },
    result: TEXT,
    meaning: 'What stands between two positions. `no_match` when `end` is before `start` or a cut would tear a pair.',
  },
  upper: { group, fields: { text: expr(TEXT) }, result: TEXT, meaning: 'Upper case.' },
  lower: { group, fields: { text: expr(TEXT) }, result: TEXT, meaning: 'Lower case.' },
  capitalise: {
    group,
    fields: { text: expr(TEXT) },
    result: TEXT,
    meaning: 'The first letter upper-case, the rest as it was.',
  },
  sentence: {
    group,
    fields: { text: expr(TEXT) },
    result: TEXT,
    meaning: 'Lower case, then the first letter upper-case.',
  },
  title: {
    group,
    fields: { text: expr(TEXT), words: optional(choice(WORD_RULES)) },
    result: TEXT,
    meaning: 'Lower case, then the first letter of every word upper-case. Default words: `word`.',
  },
  trim: {
    group,
    fields: { text: expr(TEXT), side: optional(choice(SIDES)), set: optional(charSet) },
    result: TEXT,
    meaning: 'Without the characters of `set` (default: `space`) at the ends. Default side: `both`.',
  },
  collapseSpace: {
    group,
    fields: { text: expr(TEXT) },
    result: TEXT,
    meaning: 'Every run of `space` characters becomes one U+0020. The ends are not trimmed.',
  },
  pad: {
    group,
    fields: { text: expr(TEXT), side: choice(EDGES), width: expr(NUMBER), fill: text(1, 64) },
    result: TEXT,
    meaning:
      'At least `width` units: repetitions of `fill`, the last of which is cut, are put before (`start`) or after. `width` is a whole number, 0 or more, else `out_of_range`; `no_match` when the cut would tear a pair.',
  },
  replace: {
    group,
    fields: { text: expr(TEXT), find: pattern, with: expr(TEXT), occurrence: optional(occurrence) },
    result: TEXT,
    meaning: 'Every match, or the k-th only, replaced by the text `with` as it is. No match: unchanged.',
  },
  split: {
    group,
    fields: { text: expr(TEXT), by: pattern, dropEmpty: flag },
    result: LIST,
    meaning: 'The parts between the matches. Empty matches do not split. `dropEmpty` leaves out empty parts.',
  },
  join: {
    group,
    fields: { list, separator: expr(TEXT) },
    result: TEXT,
    meaning: 'The texts of a list with the separator between them.',
  },
  repeat: {
    group,
    fields: { text: expr(TEXT), times: expr(NUMBER) },
    result: TEXT,
    meaning: 'The text so many times; a whole number, 0 or more, else `out_of_range`.',
  },
  removeChars: {
    group,
    fields: { text: expr(TEXT), set: charSet },
    result: TEXT,
    meaning: 'Without the characters of the set.',
  },
  keepChars: {
    group,
    fields: { text: expr(TEXT), set: charSet },
    result: TEXT,
    meaning: 'Only the characters of the set.',
  },
  extract: {
    group,
    fields: { text: expr(TEXT), pattern, occurrence, group: regexGroup },
    result: TEXT,
    meaning: 'The k-th match, or a group of it (regex only); `no_match` when there is none.',
  },
  extractAll: {
    group,
    fields: { text: expr(TEXT), pattern, group: regexGroup },
    result: LIST,
    meaning: 'Every match, or a group of each. Matches whose group took no part are left out.',
  },
  count: { group, fields: { text: expr(TEXT), pattern }, result: NUMBER, meaning: 'Number of matches.' },
  indexOf: {
    group,
    fields: { text: expr(TEXT), pattern, occurrence },
    result: NUMBER,
    meaning: 'The position where the k-th match starts; `no_match` when there is none.',
  },
  contains: { group, fields: { text: expr(TEXT), pattern }, result: BOOLEAN, meaning: 'There is a match.' },
  startsWith: {
    group,
    fields: { text: expr(TEXT), pattern },
    result: BOOLEAN,
    meaning: 'The text starts with the literal; for tokens and regexes: the first match starts at 0.',
  },
  endsWith: {
    group,
    fields: { text: expr(TEXT), pattern },
    result: BOOLEAN,
    meaning: 'The text ends with the literal; for tokens and regexes: the last match ends at the end.',
  },
  matches: {
    group,
    fields: { text: expr(TEXT), pattern },
    result: BOOLEAN,
    meaning:
      'The text is the literal; for a token: its only match is the whole text; for a regex: it matches the whole text.',
  },
  length: {
    group,
    fields: { of: expr(TEXT | LIST | OBJECT) },
    result: NUMBER,
    meaning: 'Units of a text, items of a list, members of an object.',
  },
  reverse: {
    group,
    fields: { of: expr(TEXT | LIST) },
    result: TEXT | LIST,
    meaning: 'A text backwards by code points, a list by items.',
  },
  chars: { group, fields: { text: expr(TEXT) }, result: LIST, meaning: 'The code points, as texts.' },
  normalize: {
    group,
    fields: { text: expr(TEXT), form: choice(NORMAL_FORMS) },
    result: TEXT,
    meaning: 'A Unicode normal form. `unaccent`: NFKD, category Mn removed, NFC.',
  },
}

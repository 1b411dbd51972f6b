import type { BasicExpr, ConvertExpr, ListExpr, ObjectExpr } from '../ast.ts'
import { ANY, BOOLEAN, JSON_VALUE, LIST, NUMBER, OBJECT, TEXT } from '../value-types.ts'
import {
  boundExpr,
  expr,
  exprs,
  flag,
  integer,
  list,
  name,
  type OperatorSpec,
  type OperatorTable,
  text,
} from './fields.ts'

const memberName = text(0, 256)
const index = integer(-1_000_000, 1_000_000)

/** Operators that read the input, constants and names. */
export const BASIC_OPERATORS: OperatorTable<BasicExpr['op']> = {
  literal: { group: 'basic', fields: { value: { kind: 'json' } }, result: JSON_VALUE, meaning: 'The value itself.' },
  input: { group: 'basic', fields: {}, result: JSON_VALUE, meaning: 'The whole input.' },
  field: {
    group: 'basic',
    fields: { of: expr(OBJECT), name: memberName },
    result: JSON_VALUE,
    meaning: "An object's member; `missing` when there is none, and of null.",
  },
  path: {
    group: 'basic',
    fields: { of: expr(OBJECT | LIST), steps: { kind: 'steps' } },
    result: JSON_VALUE,
    meaning:
      'Step by step: a text names a member of an object, a number an item of a list (from 0; negative: from the end). `missing` when there is none, and at null; `type_mismatch` at any other value.',
  },
  let: {
    group: 'basic',
    fields: { name, value: expr(ANY), in: boundExpr(ANY, 'name') },
    result: ['in'],
    meaning: 'The value of `in`, where `name` stands for the value. `value` is evaluated once, before `in`.',
  },
  var: { group: 'basic', fields: { name }, result: ANY, meaning: 'What the name stands for; the innermost binding.' },
}

const overItems = (field: string, accepts: number, result: number, meaning: string): OperatorSpec => ({
  group: 'list',
  fields: { list, as: name, [field]: boundExpr(accepts, 'as') },
  result,
  meaning,
})

/** Operators on lists. */
export const LIST_OPERATORS: OperatorTable<ListExpr['op']> = {
  list: { group: 'list', fields: { items: exprs(JSON_VALUE, 0) }, result: LIST, meaning: 'A list of the values.' },
  nth: {
    group: 'list',
    fields: { list, index },
    result: JSON_VALUE,
    meaning: 'An item, from 0; negative: from the end. `missing` when there is none.',
  },
  map: overItems('body', JSON_VALUE, LIST, 'The body for every item, which `as` stands for.'),
  filter: overItems('where', BOOLEAN, LIST, 'The items for which `where` is true.'),
  any: overItems('where', BOOLEAN, BOOLEAN, '`where` is true for an item; stops at the first.'),
  all: overItems('where', BOOLEAN, BOOLEAN, '`where` is true for every item; stops at the first that is not.'),
  sort: {
    group: 'list',
    fields: { list, descending: flag },
    result: LIST,
    meaning: 'Stable. All numbers, by size, or all texts, by UTF-16 code unit; else `type_mismatch`.',
  },
  sortBy: {
    group: 'list',
    fields: { list, as: name, key: boundExpr(NUMBER | TEXT, 'as'), descending: flag },
    result: LIST,
    meaning: 'Stable, by the key of each item; keys as in `sort`.',
  },
  unique: { group: 'list', fields: { list }, result: LIST, meaning: 'Without the items that equal an earlier one.' },
  take: {
    group: 'list',
    fields: { list, count: expr(NUMBER) },
    result: LIST,
    meaning: 'The first `count` items; negative: the last. A whole number, else `out_of_range`.',
  },
  drop: {
    group: 'list',
    fields: { list, count: expr(NUMBER) },
    result: LIST,
    meaning: 'Without the first `count` items; negative: without the last.',
  },
  append: { group: 'list', fields: { lists: exprs(LIST) }, result: LIST, meaning: 'The lists one after the other.' },
}

const ofObject = (result: number, meaning: string): OperatorSpec => ({
  group: 'object',
  fields: { of: expr(OBJECT) },
  result,
  meaning,
})

/** Operators on objects. */
export const OBJECT_OPERATORS: OperatorTable<ObjectExpr['op']> = {
  object: {
    group: 'object',
    fields: {
      members: { kind: 'records', min: 0, fields: { name: memberName, value: expr(JSON_VALUE), optional: flag } },
    },
    result: OBJECT,
    meaning: 'An object; of equal names the last counts. An `optional` member without an answer is left out.',
  },
  pick: {
    group: 'object',
    fields: { of: expr(OBJECT), names: { kind: 'strings' } },
    result: OBJECT,
    meaning: 'Only these members; names that are not there are passed over.',
  },
  omit: {
    group: 'object',
    fields: { of: expr(OBJECT), names: { kind: 'strings' } },
    result: OBJECT,
    meaning: 'Without these members.',
  },
  rename: {
    group: 'object',
    fields: { of: expr(OBJECT), names: { kind: 'records', min: 0, fields: { from: memberName, to: memberName } } },
    result: OBJECT,
    meaning: 'Members under other names. Renamed ones win over others; of two with one name the later in the list.',
  },
  merge: {
    group: 'object',
    fields: { of: exprs(OBJECT) },
    result: OBJECT,
    meaning: 'The members of all; of equal names the last counts.',
  },
  keys: ofObject(LIST, 'The names, in UTF-16 code unit order.'),
  values: ofObject(LIST, 'The values, in the order of their names.'),
  entries: ofObject(LIST, '`{"key": name, "value": value}` of each member, in the order of their names.'),
  fromEntries: {
    group: 'object',
    fields: { list },
    result: OBJECT,
    meaning:
      'The object with these entries, each an object with a text `key` and a `value`, else `type_mismatch`; of equal keys the last counts.',
  },
}

/** Operators between types. */
export const CONVERT_OPERATORS: OperatorTable<ConvertExpr['op']> = {
  toText: {
    group: 'convert',
    fields: { of: expr(TEXT | NUMBER | BOOLEAN) },
    result: TEXT,
    meaning: "A text as it is, a number in ECMAScript's shortest form, `true` or `false`.",
  },
  toNumber: {
    group: 'convert',
    fields: { of: expr(TEXT | NUMBER | BOOLEAN) },
    result: NUMBER,
    meaning:
      'A number as it is, 1 or 0 of a boolean, a text of the form below with class `space` around; else `no_match`.',
  },
  toBoolean: {
    group: 'convert',
    fields: { of: expr(TEXT | NUMBER | BOOLEAN) },
    result: BOOLEAN,
    meaning:
      'A boolean, 1 or 0, or true/false, yes/no, y/n, on/off, 1/0 in any case with class `space` around; else `no_match`.',
  },
  toJson: {
    group: 'convert',
    fields: { of: expr(JSON_VALUE) },
    result: TEXT,
    meaning: 'The canonical JSON text (RFC 8785).',
  },
  parseJson: {
    group: 'convert',
    fields: { text: expr(TEXT) },
    result: JSON_VALUE,
    meaning: 'The value of a JSON text, nested at most 64 deep; else `no_match`.',
  },
}

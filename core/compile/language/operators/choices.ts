import type { ChoiceExpr } from '../ast.ts'
import { type ComparisonOp, TYPE_NAMES } from '../names.ts'
import { ANY, BOOLEAN, DATE, JSON_VALUE, NUMBER, TEXT } from '../value-types.ts'
import { choice, expr, exprs, flag, list, type OperatorSpec, type OperatorTable, optional } from './fields.ts'

const group = 'choice'

const ordered = (meaning: string): OperatorSpec => ({
  group,
  fields: { left: expr(NUMBER | TEXT | DATE), right: expr(NUMBER | TEXT | DATE) },
  result: BOOLEAN,
  meaning,
})
const equality = (meaning: string): OperatorSpec => ({
  group,
  fields: { left: expr(ANY), right: expr(ANY) },
  result: BOOLEAN,
  meaning,
})

const COMPARISONS: OperatorTable<ComparisonOp> = {
  eq: equality('Equal: the same type and value; objects whatever the order of members; dates at the same instant.'),
  ne: equality('Not `eq`.'),
  lt: ordered('Less: two numbers, two texts by UTF-16 code unit, or two dates; else `type_mismatch`.'),
  le: ordered('Less or equal.'),
  gt: ordered('Greater.'),
  ge: ordered('Greater or equal.'),
}

/* oxlint-disable unicorn/no-thenable -- `then` is a JSON member of the language; it is never a function */

/** Operators that choose between expressions, and their conditions. */
export const CHOICE_OPERATORS: OperatorTable<ChoiceExpr['op']> = {
  if: {
    group,
    fields: { cond: expr(BOOLEAN), then: expr(ANY), else: expr(ANY) },
    result: ['then', 'else'],
    meaning: 'One of two; the other is not evaluated.',
  },
  switch: {
    group,
    fields: {
      cases: { kind: 'records', min: 1, fields: { when: expr(BOOLEAN), then: expr(ANY) } },
      else: expr(ANY),
    },
    result: ['cases', 'else'],
    meaning: '`then` of the first case whose `when` is true, or `else`.',
  },
  lookup: {
    group,
    fields: {
      key: expr(JSON_VALUE),
      cases: { kind: 'records', min: 1, fields: { key: { kind: 'scalar' }, value: { kind: 'json' } } },
      ignoreCase: flag,
      default: optional(expr(ANY)),
    },
    result: JSON_VALUE | DATE,
    meaning:
      'The value of the last case whose key equals `key`; else `default`; without one `no_match`. `ignoreCase`: texts in lower case.',
  },
  and: {
    group,
    fields: { of: exprs(BOOLEAN) },
    result: BOOLEAN,
    meaning: 'All are true; stops at the first that is not.',
  },
  or: { group, fields: { of: exprs(BOOLEAN) }, result: BOOLEAN, meaning: 'One is true; stops at the first.' },
  not: { group, fields: { of: expr(BOOLEAN) }, result: BOOLEAN, meaning: 'The opposite.' },
  ...COMPARISONS,
  in: { group, fields: { value: expr(JSON_VALUE), list }, result: BOOLEAN, meaning: 'The value equals an item.' },
  isEmpty: {
    group,
    fields: { of: expr(JSON_VALUE) },
    result: BOOLEAN,
    meaning: 'null, the empty text, the empty list or the empty object.',
  },
  isType: {
    group,
    fields: { of: expr(JSON_VALUE), type: choice(TYPE_NAMES) },
    result: BOOLEAN,
    meaning: 'The value is of the type.',
  },
  coalesce: {
    group,
    fields: { of: exprs(ANY), skipEmpty: flag },
    result: ['of'],
    meaning:
      'The first that is neither null nor `missing` (nor empty, with `skipEmpty`); `missing` when there is none.',
  },
  orElse: {
    group,
    fields: { of: exprs(ANY) },
    result: ['of'],
    meaning: 'The first that has an answer. Running out of fuel or memory is not caught.',
  },
  can: {
    group,
    fields: { of: expr(ANY) },
    result: BOOLEAN,
    meaning: 'Whether the expression has an answer. Running out of fuel or memory is not caught.',
  },
}

import { type Frame, scan, spend } from '../evaluate/frame.ts'
import { TYPE_NAMES } from '../names.ts'
import { CivilDate } from '../primitives/dates/civil-date.ts'
import { differenceOf } from '../primitives/dates/date-math.ts'
import { compareTexts, equalJson, isEmptyJson } from '../primitives/values/json-values.ts'
import { ANY, BOOLEAN, DATE, JSON_VALUE, NUMBER, TEXT, typeNameOf, type Value } from '../value-types.ts'
import { operator } from './entry.ts'
import { choice, expr, list, taking } from './fields.ts'

/** Equality of any two values; every pair of JSON values that is compared costs fuel. */
function equalValues(frame: Frame, left: Value, right: Value): boolean {
  if (left instanceof CivilDate || right instanceof CivilDate) {
    if (!(left instanceof CivilDate && right instanceof CivilDate)) return false
    return differenceOf(left, right, 'milliseconds') === 0
  }
  return equalJson(left, right, () => spend(frame, 1))
}

/** Returns -1, 0 or 1 for two numbers, texts or dates; undefined for values without an order. */
function orderOf(frame: Frame, left: Value, right: Value): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : left > right ? 1 : 0
  if (typeof left === 'string' && typeof right === 'string') {
    scan(frame, Math.min(left.length, right.length))
    return compareTexts(left, right)
  }
  if (left instanceof CivilDate && right instanceof CivilDate) {
    const ms = differenceOf(right, left, 'milliseconds')
    return ms === undefined ? undefined : Math.sign(ms)
  }
  return undefined
}

/** Both operands are evaluated before their types are compared. */
const ordered = taking(expr(NUMBER | TEXT | DATE), ANY)

const equality = (print: string, isEqual: boolean, meaning: string, vectors: string) =>
  operator({
    fields: { left: expr(ANY), right: expr(ANY) },
    operands: ['left', 'right'],
    result: BOOLEAN,
    meaning,
    print,
    evaluate: () => (left, right, frame) => equalValues(frame, left, right) === isEqual,
    vectors,
  })

const ordering = (print: string, holds: (order: number) => boolean, meaning: string, vectors: string) =>
  operator({
    fields: { left: ordered, right: ordered },
    operands: ['left', 'right'],
    result: BOOLEAN,
    meaning,
    fails: 'type_mismatch',
    print,
    evaluate: () => (left, right, frame) => {
      const order = orderOf(frame, left, right)
      return order === undefined ? undefined : holds(order)
    },
    vectors,
  })

/** Operators that compare two values. */
export const COMPARISONS = {
  eq: equality(
    '==',
    true,
    'Equal: the same type and value; objects whatever the order of members; dates at the same instant.',
    String.raw`
      {"body":{"op":"eq","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":1,"b":1},"output":true},{"input":{"a":1,"b":"1"},"output":false},{"input":{"a":{"x":1,"y":[2]},"b":{"y":[2],"x":1}},"output":true},{"input":{"a":[1],"b":[1,2]},"output":false},{"input":{"a":null,"b":null},"output":true}]}
      {"body":{"op":"eq","left":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"HH:mmXXX"},"right":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"HH:mmXXX"}},"cases":[{"input":{"a":"12:00+02:00","b":"10:00Z"},"output":true}]}
    `,
  ),
  ne: equality(
    '!=',
    false,
    'Not `eq`.',
    String.raw`
    {"body":{"op":"ne","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":"a","b":"b"},"output":true},{"input":{"a":"a","b":"a"},"output":false}]}
  `,
  ),
  lt: ordering(
    '<',
    (order) => order < 0,
    'Less: two numbers, two texts by UTF-16 code unit, or two dates; else `type_mismatch`.',
    String.raw`
      {"body":{"op":"lt","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":1,"b":2},"output":true},{"input":{"a":"a","b":"b"},"output":true},{"input":{"a":"Z","b":"a"},"output":true},{"input":{"a":1,"b":"2"},"fails":"type_mismatch"},{"input":{"a":true,"b":false},"fails":"type_mismatch"}]}
      {"body":{"op":"lt","left":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"right":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"}},"cases":[{"input":{"a":"2024-01-01","b":"2024-01-02"},"output":true}]}
    `,
  ),
  le: ordering(
    '<=',
    (order) => order <= 0,
    'Less or equal.',
    String.raw`
    {"body":{"op":"le","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":2,"b":2},"output":true},{"input":{"a":"b","b":"a"},"output":false}]}
  `,
  ),
  gt: ordering(
    '>',
    (order) => order > 0,
    'Greater.',
    String.raw`
    {"body":{"op":"gt","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":2,"b":1},"output":true},{"input":{"a":1,"b":1},"output":false}]}
  `,
  ),
  ge: ordering(
    '>=',
    (order) => order >= 0,
    'Greater or equal.',
    String.raw`
    {"body":{"op":"ge","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":1,"b":1},"output":true},{"input":{"a":"a","b":"b"},"output":false}]}
  `,
  ),
}

/** Tests of one value. */
export const TESTS = {
  in: operator({
    fields: { value: expr(JSON_VALUE), list },
    operands: ['value', 'list'],
    result: BOOLEAN,
    meaning: 'The value equals an item.',
    evaluate: () => (value, items, frame) => items.some((item) => equalValues(frame, value, item)),
    vectors: String.raw`
      {"body":{"op":"in","value":{"op":"field","of":{"op":"input"},"name":"x"},"list":{"op":"field","of":{"op":"input"},"name":"l"}},"cases":[{"input":{"x":[1],"l":[2,[1]]},"output":true},{"input":{"x":"a","l":[]},"output":false}]}
    `,
  }),
  isEmpty: operator({
    fields: { of: expr(JSON_VALUE) },
    operands: ['of'],
    result: BOOLEAN,
    meaning: 'null, the empty text, the empty list or the empty object.',
    evaluate: () => isEmptyJson,
    vectors: String.raw`
      {"body":{"op":"isEmpty","of":{"op":"input"}},"cases":[{"input":"","output":true},{"input":[],"output":true},{"input":{},"output":true},{"input":null,"output":true},{"input":0,"output":false},{"input":" ","output":false}]}
    `,
  }),
  isType: operator({
    fields: { of: expr(JSON_VALUE), type: choice(TYPE_NAMES) },
    operands: ['of'],
    result: BOOLEAN,
    meaning: 'The value is of the type.',
    evaluate:
      ({ type }) =>
      (of) =>
        typeNameOf(of) === type,
    vectors: String.raw`
      {"body":{"op":"isType","of":{"op":"input"},"type":"null"},"cases":[{"input":null,"output":true}]}
      {"body":{"op":"isType","of":{"op":"input"},"type":"boolean"},"cases":[{"input":false,"output":true}]}
      {"body":{"op":"isType","of":{"op":"input"},"type":"number"},"cases":[{"input":1,"output":true}]}
      {"body":{"op":"isType","of":{"op":"input"},"type":"text"},"cases":[{"input":"x","output":true}]}
      {"body":{"op":"isType","of":{"op":"input"},"type":"list"},"cases":[{"input":[],"output":true}]}
      {"body":{"op":"isType","of":{"op":"input"},"type":"object"},"cases":[{"input":{},"output":true}]}
    `,
  }),
}

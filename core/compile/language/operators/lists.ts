import type { Json } from '../../../kernel/json/json.ts'
import type { BoundStep } from '../evaluate/compiler.ts'
import { failure, type Frame, reserve, reserveItems, spend } from '../evaluate/frame.ts'
import { compareTexts, itemAt, sizeOfJson, uniqueItems } from '../primitives/values/json-values.ts'
import { BOOLEAN, JSON_VALUE, LIST, NUMBER, TEXT } from '../value-types.ts'
import { operator } from './entry.ts'
import { boundExpr, expr, exprs, flag, integer, list, name, taking } from './fields.ts'

/** Returns a function of one item; each item costs 1 fuel. */
function visit<T>(frame: Frame, body: BoundStep<T>): (item: Json) => T {
  return (item) => {
    spend(frame, 1)
    return body(frame, item)
  }
}

type Key = string | number

/** Sorts by keys that are all numbers or all texts. Stable. */
function sortByKeys(
  frame: Frame,
  items: readonly Json[],
  keys: readonly Json[],
  descending: boolean,
  op: string,
): Json[] {
  const isNumbers = keys.every((key) => typeof key === 'number')
  if (!isNumbers && !keys.every((key) => typeof key === 'string')) throw failure('type_mismatch', op)
  reserveItems(frame, items.length)
  spend(frame, items.length)
  const compare = (left: Key, right: Key): number =>
    typeof left === 'number' && typeof right === 'number' ? left - right : compareTexts(String(left), String(right))
  const keyAt = (index: number): Key => {
    const key = keys[index]
    return typeof key === 'number' || typeof key === 'string' ? key : 0
  }
  const direction = descending ? -1 : 1
  return items
    .map((_item, index) => index)
    .sort((left, right) => direction * compare(keyAt(left), keyAt(right)) || left - right)
    .map((index) => items[index] ?? null)
}

const finding = (method: 'some' | 'every', meaning: string, vectors: string) =>
  operator({
    fields: { list, as: name, where: boundExpr(BOOLEAN, 'as') },
    operands: ['list'],
    result: BOOLEAN,
    meaning,
    evaluate:
      ({ where }) =>
      (items, frame) =>
        items[method](visit(frame, where)),
    vectors,
  })

/** Takes the items before `count`, or those after it; a negative count counts from the end. */
const cutting = (isStart: boolean, meaning: string, vectors: string) =>
  operator({
    fields: { list, count: expr(NUMBER) },
    operands: ['list', 'count'],
    result: LIST,
    meaning,
    fails: 'out_of_range',
    evaluate: () => (items, count, frame) => {
      if (!Number.isInteger(count)) return undefined
      reserveItems(frame, items.length)
      const at = count >= 0 ? count : Math.max(0, items.length + count)
      return count >= 0 === isStart ? items.slice(0, at) : items.slice(at)
    },
    vectors,
  })

/** Operators on lists. */
export const LISTS = {
  list: operator({
    fields: { items: exprs(JSON_VALUE, 0) },
    operands: [],
    result: LIST,
    meaning: 'A list of the values.',
    print: (node, print) => `[${print.nodes(node.items).join(', ')}]`,
    evaluate:
      ({ items }) =>
      (frame) => {
        reserveItems(frame, items.length)
        return items.map((item) => item(frame))
      },
    vectors: String.raw`
      {"body":{"op":"list","items":[{"op":"field","of":{"op":"input"},"name":"a"},{"op":"literal","value":1}]},"cases":[{"input":{"a":"x"},"output":["x",1]}]}
    `,
  }),
  nth: operator({
    fields: { list, index: integer(-1_000_000, 1_000_000) },
    operands: ['list'],
    result: JSON_VALUE,
    meaning: 'An item, from 0; negative: from the end. `missing` when there is none.',
    fails: 'missing',
    evaluate:
      ({ index }) =>
      (items) =>
        itemAt(items, index),
    vectors: String.raw`
      {"body":{"op":"nth","list":{"op":"input"},"index":-1},"cases":[{"input":[1,2],"output":2},{"input":[],"fails":"missing"}]}
    `,
  }),
  map: operator({
    fields: { list, as: name, body: boundExpr(JSON_VALUE, 'as') },
    operands: ['list'],
    result: LIST,
    meaning: 'The body for every item, which `as` stands for.',
    evaluate:
      ({ body }) =>
      (items, frame) => {
        reserveItems(frame, items.length)
        return items.map(visit(frame, body))
      },
    vectors: String.raw`
      {"body":{"op":"map","list":{"op":"input"},"as":"x","body":{"op":"upper","text":{"op":"var","name":"x"}}},"cases":[{"input":["a","b"],"output":["A","B"]},{"input":[],"output":[]},{"input":[1],"fails":"type_mismatch"}]}
      {"body":{"op":"map","list":{"op":"input"},"as":"x","body":{"op":"map","list":{"op":"var","name":"x"},"as":"y","body":{"op":"add","left":{"op":"var","name":"y"},"right":{"op":"length","of":{"op":"var","name":"x"}}}}},"cases":[{"input":[[1,2],[3]],"output":[[3,4],[4]]}]}
    `,
  }),
  filter: operator({
    fields: { list, as: name, where: boundExpr(BOOLEAN, 'as') },
    operands: ['list'],
    result: LIST,
    meaning: 'The items for which `where` is true.',
    evaluate:
      ({ where }) =>
      (items, frame) => {
        reserveItems(frame, items.length)
        return items.filter(visit(frame, where))
      },
    vectors: String.raw`
      {"body":{"op":"filter","list":{"op":"input"},"as":"x","where":{"op":"gt","left":{"op":"var","name":"x"},"right":{"op":"literal","value":1}}},"cases":[{"input":[1,2,3],"output":[2,3]}]}
    `,
  }),
  any: finding(
    'some',
    '`where` is true for an item; stops at the first.',
    String.raw`
    {"body":{"op":"any","list":{"op":"input"},"as":"x","where":{"op":"eq","left":{"op":"var","name":"x"},"right":{"op":"literal","value":2}}},"cases":[{"input":[1,2,"x"],"output":true},{"input":[],"output":false}]}
  `,
  ),
  all: finding(
    'every',
    '`where` is true for every item; stops at the first that is not.',
    String.raw`
    {"body":{"op":"all","list":{"op":"input"},"as":"x","where":{"op":"eq","left":{"op":"var","name":"x"},"right":{"op":"literal","value":2}}},"cases":[{"input":[2,2],"output":true},{"input":[],"output":true},{"input":[2,1],"output":false}]}
    {"body":{"op":"all","list":{"op":"input"},"as":"a","where":{"op":"all","list":{"op":"input"},"as":"b","where":{"op":"all","list":{"op":"input"},"as":"c","where":{"op":"literal","value":true}}}},"cases":[{"input":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"fails":"out_of_fuel"},{"input":[0,1],"output":true}]}
  `,
  ),
  sort: operator({
    fields: { list, descending: flag },
    operands: ['list'],
    result: LIST,
    meaning: 'Stable. All numbers, by size, or all texts, by UTF-16 code unit; else `type_mismatch`.',
    evaluate:
      ({ descending = false }, op) =>
      (items, frame) =>
        sortByKeys(frame, items, items, descending, op),
    vectors: String.raw`
      {"body":{"op":"sort","list":{"op":"input"}},"cases":[{"input":[10,9,1],"output":[1,9,10]},{"input":["b","B","a"],"output":["B","a","b"]},{"input":[1,"a"],"fails":"type_mismatch"},{"input":[],"output":[]}]}
      {"body":{"op":"sort","list":{"op":"input"},"descending":true},"cases":[{"input":[1,3,2],"output":[3,2,1]}]}
    `,
  }),
  sortBy: operator({
    fields: { list, as: name, key: taking(boundExpr(NUMBER | TEXT, 'as'), JSON_VALUE), descending: flag },
    operands: ['list'],
    result: LIST,
    meaning: 'Stable, by the key of each item; keys as in `sort`.',
    evaluate:
      ({ key, descending = false }, op) =>
      (items, frame) => {
        reserveItems(frame, items.length)
        return sortByKeys(frame, items, items.map(visit(frame, key)), descending, op)
      },
    vectors: String.raw`
      {"body":{"op":"sortBy","list":{"op":"input"},"as":"x","key":{"op":"length","of":{"op":"var","name":"x"}}},"cases":[{"input":["bb","a","cc","d"],"output":["a","d","bb","cc"]}]}
      {"body":{"op":"sortBy","list":{"op":"input"},"as":"x","key":{"op":"length","of":{"op":"var","name":"x"}},"descending":true},"cases":[{"input":["a","bb","d","cc"],"output":["bb","cc","a","d"]}]}
    `,
  }),
  unique: operator({
    fields: { list },
    operands: ['list'],
    result: LIST,
    meaning: 'Without the items that equal an earlier one.',
    evaluate: () => (items, frame) => {
      reserveItems(frame, items.length)
      for (const item of items) reserve(frame, sizeOfJson(item, frame.room))
      return uniqueItems(items)
    },
    vectors: String.raw`
      {"body":{"op":"unique","list":{"op":"input"}},"cases":[{"input":[1,"1",1,{"a":1,"b":2},{"b":2,"a":1}],"output":[1,"1",{"a":1,"b":2}]}]}
    `,
  }),
  take: cutting(
    true,
    'The first `count` items; negative: the last. A whole number, else `out_of_range`.',
    String.raw`
    {"body":{"op":"take","list":{"op":"input"},"count":{"op":"literal","value":2}},"cases":[{"input":[1,2,3],"output":[1,2]},{"input":[1],"output":[1]}]}
    {"body":{"op":"take","list":{"op":"input"},"count":{"op":"literal","value":-2}},"cases":[{"input":[1,2,3],"output":[2,3]},{"input":[1],"output":[1]}]}
    {"body":{"op":"take","list":{"op":"input"},"count":{"op":"literal","value":0.5}},"cases":[{"input":[1],"fails":"out_of_range"}]}
  `,
  ),
  drop: cutting(
    false,
    'Without the first `count` items; negative: without the last.',
    String.raw`
    {"body":{"op":"drop","list":{"op":"input"},"count":{"op":"literal","value":1}},"cases":[{"input":[1,2,3],"output":[2,3]},{"input":[],"output":[]}]}
    {"body":{"op":"drop","list":{"op":"input"},"count":{"op":"literal","value":-1}},"cases":[{"input":[1,2,3],"output":[1,2]}]}
  `,
  ),
  append: operator({
    fields: { lists: exprs(LIST) },
    operands: [],
    result: LIST,
    meaning: 'The lists one after the other.',
    evaluate:
      ({ lists }) =>
      (frame) => {
        const out: Json[] = []
        for (const step of lists) {
          const items = step(frame)
          reserveItems(frame, items.length)
          for (const item of items) out.push(item)
        }
        return out
      },
    vectors: String.raw`
      {"body":{"op":"append","lists":[{"op":"input"},{"op":"literal","value":[0]}]},"cases":[{"input":[1],"output":[1,0]}]}
    `,
  }),
}

import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { Failure, failure, type Frame, reserveItems } from '../evaluate/frame.ts'
import { isObject } from '../evaluate/operands.ts'
import { memberOf, sortedNames } from '../primitives/values/json-values.ts'
import { JSON_VALUE, LIST, OBJECT } from '../value-types.ts'
import { attempt } from './choices.ts'
import { operator } from './entry.ts'
import { expr, exprs, flag, list, records, text } from './fields.ts'

const memberName = text(0, 256)

function memberEntries(frame: Frame, object: JsonObject): [string, Json][] {
  const entries = Object.entries(object)
  reserveItems(frame, entries.length)
  return entries
}

function readEntry(entry: Json, op: string): readonly [string, Json] {
  const mismatch = failure('type_mismatch', op)
  if (!isObject(entry)) throw mismatch
  const key = memberOf(entry, 'key')
  const value = memberOf(entry, 'value')
  if (typeof key !== 'string' || value === undefined) throw mismatch
  return [key, value]
}

const choosing = (isPicked: boolean, meaning: string, vectors: string) =>
  operator({
    fields: { of: expr(OBJECT), names: { kind: 'strings' } },
    operands: ['of'],
    result: OBJECT,
    meaning,
    evaluate: ({ names }) => {
      const chosen = new Set(names)
      return (of, frame) =>
        Object.fromEntries(memberEntries(frame, of).filter(([name]) => chosen.has(name) === isPicked))
    },
    vectors,
  })

const listing = (item: (name: string, value: Json) => Json, meaning: string, vectors: string) =>
  operator({
    fields: { of: expr(OBJECT) },
    operands: ['of'],
    result: LIST,
    meaning,
    evaluate: () => (of, frame) => {
      const names = sortedNames(of)
      reserveItems(frame, names.length)
      return names.map((name) => item(name, of[name] ?? null))
    },
    vectors,
  })

/** Operators on objects. `Object.fromEntries` makes own members of every name, `__proto__` too. */
export const OBJECTS = {
  object: operator({
    fields: { members: records({ name: memberName, value: expr(JSON_VALUE), optional: flag }, 0) },
    operands: [],
    result: OBJECT,
    meaning: 'An object; of equal names the last counts. An `optional` member without an answer is left out.',
    print: (node, print) => {
      const members = print.records(node.members).map((member) => {
        const mark = member.optional === true ? '?' : ''
        return `${print.plain(member.name)}${mark}: ${print.node(member.value)}`
      })
      return `{${members.join(', ')}}`
    },
    evaluate:
      ({ members }) =>
      (frame) => {
        reserveItems(frame, members.length)
        const entries: [string, Json][] = []
        for (const { name, value, optional = false } of members) {
          const given = optional ? attempt(value, frame) : value(frame)
          if (!(given instanceof Failure)) entries.push([name, given])
        }
        return Object.fromEntries(entries)
      },
    vectors: String.raw`
      {"body":{"op":"object","members":[{"name":"a","value":{"op":"field","of":{"op":"input"},"name":"x"}},{"name":"b","value":{"op":"field","of":{"op":"input"},"name":"y"},"optional":true}]},"cases":[{"input":{"x":1,"y":2},"output":{"a":1,"b":2}},{"input":{"x":1},"output":{"a":1}},{"input":{"y":1},"fails":"missing"}]}
    `,
  }),
  pick: choosing(
    true,
    'Only these members; names that are not there are passed over.',
    String.raw`
    {"body":{"op":"pick","of":{"op":"input"},"names":["a","z"]},"cases":[{"input":{"a":1,"b":2},"output":{"a":1}}]}
  `,
  ),
  omit: choosing(
    false,
    'Without these members.',
    String.raw`
    {"body":{"op":"omit","of":{"op":"input"},"names":["a"]},"cases":[{"input":{"a":1,"b":2},"output":{"b":2}}]}
  `,
  ),
  rename: operator({
    fields: { of: expr(OBJECT), names: records({ from: memberName, to: memberName }, 0) },
    operands: ['of'],
    result: OBJECT,
    meaning: 'Members under other names. Renamed ones win over others; of two with one name the later in the list.',
    print: (node, print) => {
      const names = print.records(node.names).map(({ from, to }) => `${print.plain(from)} -> ${print.plain(to)}`)
      return `rename(${print.node(node.of)}, ${names.join(', ')})`
    },
    evaluate: ({ names }) => {
      const renamed = new Set(names.map(({ from }) => from))
      return (of, frame) => {
        const kept = memberEntries(frame, of).filter(([name]) => !renamed.has(name))
        reserveItems(frame, names.length)
        const moved = names.flatMap(({ from, to }): [string, Json][] => {
          const value = memberOf(of, from)
          return value === undefined ? [] : [[to, value]]
        })
        return Object.fromEntries([...kept, ...moved])
      }
    },
    vectors: String.raw`
      {"body":{"op":"rename","of":{"op":"input"},"names":[{"from":"a","to":"b"},{"from":"b","to":"c"}]},"cases":[{"input":{"a":1,"b":2},"output":{"b":1,"c":2}},{"input":{"x":1},"output":{"x":1}}]}
    `,
  }),
  merge: operator({
    fields: { of: exprs(OBJECT) },
    operands: [],
    result: OBJECT,
    meaning: 'The members of all; of equal names the last counts.',
    evaluate:
      ({ of }) =>
      (frame) =>
        Object.fromEntries(of.flatMap((object) => memberEntries(frame, object(frame)))),
    vectors: String.raw`
      {"body":{"op":"merge","of":[{"op":"input"},{"op":"literal","value":{"b":9}}]},"cases":[{"input":{"a":1,"b":2},"output":{"a":1,"b":9}}]}
    `,
  }),
  keys: listing(
    (name) => name,
    'The names, in UTF-16 code unit order.',
    String.raw`
    {"body":{"op":"keys","of":{"op":"input"}},"cases":[{"input":{"b":1,"a":2,"10":3},"output":["10","a","b"]}]}
  `,
  ),
  values: listing(
    (_name, value) => value,
    'The values, in the order of their names.',
    String.raw`
    {"body":{"op":"values","of":{"op":"input"}},"cases":[{"input":{"b":1,"a":2},"output":[2,1]}]}
  `,
  ),
  entries: listing(
    (name, value) => ({ key: name, value }),
    '`{"key": name, "value": value}` of each member, in the order of their names.',
    String.raw`
      {"body":{"op":"entries","of":{"op":"input"}},"cases":[{"input":{"b":1,"a":2},"output":[{"key":"a","value":2},{"key":"b","value":1}]}]}
    `,
  ),
  fromEntries: operator({
    fields: { list },
    operands: ['list'],
    result: OBJECT,
    meaning:
      'The object with these entries, each an object with a text `key` and a `value`, else `type_mismatch`; of equal keys the last counts.',
    evaluate: (_given, op) => (items, frame) => {
      reserveItems(frame, items.length)
      return Object.fromEntries(items.map((item) => readEntry(item, op)))
    },
    vectors: String.raw`
      {"body":{"op":"fromEntries","list":{"op":"input"}},"cases":[{"input":[{"key":"a","value":1},{"key":"a","value":2}],"output":{"a":2}},{"input":[{"key":1}],"fails":"type_mismatch"}]}
      {"body":{"op":"fromEntries","list":{"op":"input"}},"cases":[{"input":[{"key":"a"}],"fails":"type_mismatch"},{"input":[{"value":1}],"fails":"type_mismatch"},{"input":["a"],"fails":"type_mismatch"},{"input":[{"key":"a","value":null,"more":1}],"output":{"a":null}},{"input":[],"output":{}}]}
    `,
  }),
}

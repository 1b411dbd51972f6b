import type { Json } from '../../../kernel/json/json.ts'
import { failure } from '../evaluate/frame.ts'
import { isList, isObject } from '../evaluate/operands.ts'
import { itemAt, memberOf } from '../primitives/values/json-values.ts'
import { ANY, JSON_VALUE, LIST, OBJECT } from '../value-types.ts'
import { operator } from './entry.ts'
import { boundExpr, expr, json, name, taking, text } from './fields.ts'

/** Takes one step into a value; undefined when there is no such member or item. */
function stepInto(value: Json, step: string | number, op: string): Json | undefined {
  if (value === null) return undefined
  if (typeof step === 'string' && isObject(value)) return memberOf(value, step)
  if (typeof step === 'number' && isList(value)) return itemAt(value, step)
  throw failure('type_mismatch', op)
}

/** Operators that read the input, constants and names. */
export const BASICS = {
  literal: operator({
    fields: { value: json },
    operands: [],
    result: JSON_VALUE,
    narrows: 'constant',
    meaning: 'The value itself.',
    print: (node, print) => print.json(node.value),
    evaluate:
      ({ value }) =>
      () =>
        value,
    vectors: String.raw`
      {"body":{"op":"literal","value":{"a":[1,null,"x"]}},"cases":[{"input":null,"output":{"a":[1,null,"x"]}}]}
    `,
  }),
  input: operator({
    fields: {},
    operands: [],
    result: JSON_VALUE,
    meaning: 'The whole input.',
    print: () => 'input',
    evaluate: () => (frame) => frame.input,
    vectors: String.raw`
      {"body":{"op":"input"},"cases":[{"input":"x","output":"x"},{"input":[1,{"b":2}],"output":[1,{"b":2}]}]}
    `,
  }),
  field: operator({
    fields: { of: taking(expr(OBJECT), JSON_VALUE), name: text(0, 256) },
    operands: ['of'],
    result: JSON_VALUE,
    meaning: "An object's member; `missing` when there is none, and of null.",
    fails: 'missing',
    print: (node, print) => print.node(node.of) + print.steps([node.name ?? '']),
    evaluate:
      ({ name: member }, op) =>
      (of) =>
        stepInto(of, member, op),
    vectors: String.raw`
      {"body":{"op":"field","of":{"op":"input"},"name":"name"},"cases":[{"input":{"name":"Ada"},"output":"Ada"},{"input":{},"fails":"missing"},{"input":{"name":null},"output":null},{"input":null,"fails":"missing"},{"input":"x","fails":"type_mismatch"},{"input":{"__proto__":1},"fails":"missing"}]}
      {"body":{"op":"field","of":{"op":"input"},"name":"__proto__"},"cases":[{"input":{"a":1},"fails":"missing"},{"input":{"__proto__":1},"output":1}]}
    `,
  }),
  path: operator({
    fields: { of: taking(expr(OBJECT | LIST), JSON_VALUE), steps: { kind: 'steps' } },
    operands: ['of'],
    result: JSON_VALUE,
    meaning:
      'Step by step: a text names a member of an object, a number an item of a list (from 0; negative: from the end). `missing` when there is none, and at null; `type_mismatch` at any other value.',
    fails: 'missing',
    print: (node, print) => print.node(node.of) + print.steps(node.steps),
    evaluate:
      ({ steps }, op) =>
      (of) => {
        let value: Json | undefined = of
        for (const step of steps) {
          value = stepInto(value, step, op)
          if (value === undefined) return undefined
        }
        return value
      },
    vectors: String.raw`
      {"body":{"op":"path","of":{"op":"input"},"steps":["a",-1,"b"]},"cases":[{"input":{"a":[{"b":1},{"b":2}]},"output":2},{"input":{"a":[]},"fails":"missing"},{"input":{"a":{}},"fails":"type_mismatch"}]}
      {"body":{"op":"path","of":{"op":"input"},"steps":["a",0]},"cases":[{"input":{"a":{"b":1}},"fails":"type_mismatch"},{"input":{"a":null},"fails":"missing"},{"input":null,"fails":"missing"},{"input":{"a":[7]},"output":7},{"input":[1],"fails":"type_mismatch"}]}
      {"body":{"op":"path","of":{"op":"input"},"steps":[0,"a"]},"cases":[{"input":[{"a":1}],"output":1},{"input":[null],"fails":"missing"},{"input":[3],"fails":"type_mismatch"},{"input":"x","fails":"type_mismatch"}]}
    `,
  }),
  let: operator({
    fields: { name, value: expr(ANY), in: boundExpr(ANY, 'name') },
    operands: ['value'],
    result: ['in'],
    meaning: 'The value of `in`, where `name` stands for the value. `value` is evaluated once, before `in`.',
    print: (node, print) => `let(${print.plain(node.name)} = ${print.node(node.value)}, ${print.node(node.in)})`,
    evaluate:
      ({ in: body }) =>
      (value, frame) =>
        body(frame, value),
    vectors: String.raw`
      {"body":{"op":"let","name":"x","value":{"op":"upper","text":{"op":"input"}},"in":{"op":"concat","parts":[{"op":"var","name":"x"},{"op":"let","name":"x","value":{"op":"literal","value":"-"},"in":{"op":"var","name":"x"}},{"op":"var","name":"x"}]}},"cases":[{"input":"ab","output":"AB-AB"}]}
    `,
  }),
  var: operator({
    fields: { name: { kind: 'name', bound: true } },
    operands: [],
    result: ANY,
    narrows: 'binding',
    meaning: 'What the name stands for; the innermost binding.',
    print: (node, print) => print.plain(node.name),
    evaluate: ({ name: read }) => read,
    vectors: String.raw`
      {"body":{"op":"let","name":"a","value":{"op":"input"},"in":{"op":"let","name":"b","value":{"op":"literal","value":2},"in":{"op":"list","items":[{"op":"var","name":"b"},{"op":"var","name":"a"}]}}},"cases":[{"input":1,"output":[2,1]}]}
    `,
  }),
}

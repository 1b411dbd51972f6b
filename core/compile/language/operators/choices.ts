import { Failure, type Frame, type Step } from '../evaluate/frame.ts'
import { CivilDate } from '../primitives/dates/civil-date.ts'
import { isEmptyJson, valueKey } from '../primitives/values/json-values.ts'
import { ANY, BOOLEAN, DATE, JSON_VALUE } from '../value-types.ts'
import { operator } from './entry.ts'
import { expr, exprs, flag, json, optional, records, scalar } from './fields.ts'

/** The step's value, or the failure when it has none and that may be caught. */
export function attempt<T>(step: Step<T>, frame: Frame): T | Failure {
  try {
    return step(frame)
  } catch (error) {
    if (!(error instanceof Failure) || !error.isCaught) throw error
    return error
  }
}

/* oxlint-disable unicorn/no-thenable -- `then` is a JSON member of the language; it is never a function */

/** Operators that choose between expressions by conditions. */
export const CONDITIONS = {
  if: operator({
    fields: { cond: expr(BOOLEAN), then: expr(ANY), else: expr(ANY) },
    operands: ['cond'],
    result: ['then', 'else'],
    meaning: 'One of two; the other is not evaluated.',
    evaluate:
      ({ then, else: otherwise }) =>
      (cond, frame) =>
        cond ? then(frame) : otherwise(frame),
    vectors: String.raw`
      {"body":{"op":"if","cond":{"op":"contains","text":{"op":"input"},"pattern":{"kind":"token","name":"digits"}},"then":{"op":"literal","value":"n"},"else":{"op":"literal","value":"t"}},"cases":[{"input":"a1","output":"n"},{"input":"a","output":"t"}]}
      {"body":{"op":"if","cond":{"op":"input"},"then":{"op":"literal","value":1},"else":{"op":"literal","value":2}},"cases":[{"input":true,"output":1},{"input":"x","fails":"type_mismatch"}]}
    `,
  }),
  switch: operator({
    fields: { cases: records({ when: expr(BOOLEAN), then: expr(ANY) }), else: expr(ANY) },
    operands: [],
    result: ['cases', 'else'],
    meaning: '`then` of the first case whose `when` is true, or `else`.',
    print: (node, print) => {
      const cases = print.records(node.cases).map((entry) => `${print.node(entry.when)} -> ${print.node(entry.then)}`)
      return `switch(${print.cases(cases, node.else)})`
    },
    evaluate:
      ({ cases, else: otherwise }) =>
      (frame) => {
        for (const { when, then } of cases) if (when(frame)) return then(frame)
        return otherwise(frame)
      },
    vectors: String.raw`
      {"body":{"op":"switch","cases":[{"when":{"op":"lt","left":{"op":"input"},"right":{"op":"literal","value":10}},"then":{"op":"literal","value":"low"}},{"when":{"op":"lt","left":{"op":"input"},"right":{"op":"literal","value":100}},"then":{"op":"literal","value":"mid"}}],"else":{"op":"literal","value":"high"}},"cases":[{"input":5,"output":"low"},{"input":50,"output":"mid"},{"input":500,"output":"high"}]}
    `,
  }),
  lookup: operator({
    fields: {
      key: expr(JSON_VALUE),
      cases: records({ key: scalar, value: json }),
      ignoreCase: flag,
      default: optional(expr(ANY)),
    },
    operands: ['key'],
    result: JSON_VALUE | DATE,
    meaning:
      'The value of the last case whose key equals `key`; else `default`; without one `no_match`. `ignoreCase`: texts in lower case.',
    fuel: ['scan'],
    fails: 'no_match',
    print: (node, print) => {
      const cases = print.records(node.cases).map((entry) => `${print.json(entry.key)} -> ${print.json(entry.value)}`)
      return `lookup(${print.node(node.key)}, ${print.cases(cases, node.default)})`
    },
    evaluate: ({ cases, ignoreCase = false, default: otherwise }) => {
      const keyOf = (value: (typeof cases)[number]['value']): string =>
        valueKey(ignoreCase && typeof value === 'string' ? value.toLowerCase() : value)
      const table = new Map(cases.map((entry) => [keyOf(entry.key), entry.value]))
      return (key, frame) => {
        // Lists and objects are never keys.
        const isKey = typeof key !== 'object' || key === null
        const answer = isKey ? table.get(keyOf(key)) : undefined
        return answer === undefined ? otherwise?.(frame) : answer
      }
    },
    vectors: String.raw`
      {"body":{"op":"lookup","key":{"op":"input"},"cases":[{"key":"a","value":1},{"key":1,"value":"one"},{"key":null,"value":[]},{"key":true,"value":{}}]},"cases":[{"input":"a","output":1},{"input":1,"output":"one"},{"input":null,"output":[]},{"input":true,"output":{}},{"input":"1","fails":"no_match"},{"input":"A","fails":"no_match"},{"input":[],"fails":"no_match"}]}
      {"body":{"op":"lookup","key":{"op":"input"},"cases":[{"key":"US","value":"United States"}],"ignoreCase":true,"default":{"op":"input"}},"cases":[{"input":"us","output":"United States"},{"input":"fr","output":"fr"}]}
    `,
  }),
  and: operator({
    fields: { of: exprs(BOOLEAN) },
    operands: [],
    result: BOOLEAN,
    meaning: 'All are true; stops at the first that is not.',
    print: (node, print) => `(${print.nodes(node.of).join(' and ')})`,
    evaluate:
      ({ of }) =>
      (frame) =>
        of.every((step) => step(frame)),
    vectors: String.raw`
      {"body":{"op":"and","of":[{"op":"isType","of":{"op":"input"},"type":"number"},{"op":"gt","left":{"op":"input"},"right":{"op":"literal","value":0}}]},"cases":[{"input":1,"output":true},{"input":-1,"output":false},{"input":"x","output":false}]}
    `,
  }),
  or: operator({
    fields: { of: exprs(BOOLEAN) },
    operands: [],
    result: BOOLEAN,
    meaning: 'One is true; stops at the first.',
    print: (node, print) => `(${print.nodes(node.of).join(' or ')})`,
    evaluate:
      ({ of }) =>
      (frame) =>
        of.some((step) => step(frame)),
    vectors: String.raw`
      {"body":{"op":"or","of":[{"op":"isEmpty","of":{"op":"input"}},{"op":"startsWith","text":{"op":"input"},"pattern":{"kind":"literal","text":"x"}}]},"cases":[{"input":null,"output":true},{"input":"xy","output":true},{"input":"y","output":false},{"input":1,"fails":"type_mismatch"}]}
    `,
  }),
  not: operator({
    fields: { of: expr(BOOLEAN) },
    operands: ['of'],
    result: BOOLEAN,
    meaning: 'The opposite.',
    evaluate: () => (of) => !of,
    vectors: String.raw`
      {"body":{"op":"not","of":{"op":"input"}},"cases":[{"input":true,"output":false},{"input":0,"fails":"type_mismatch"}]}
    `,
  }),
}

/** Operators that choose by whether an expression has an answer. */
export const ALTERNATIVES = {
  coalesce: operator({
    fields: { of: exprs(ANY), skipEmpty: flag },
    operands: [],
    result: ['of'],
    meaning:
      'The first that is neither null nor `missing` (nor empty, with `skipEmpty`); `missing` when there is none.',
    fails: 'missing',
    evaluate:
      ({ of, skipEmpty = false }) =>
      (frame) => {
        for (const step of of) {
          const value = attempt(step, frame)
          if (value instanceof Failure) {
            if (value.reason === 'missing') continue
            throw value
          }
          if (value === null || (skipEmpty && !(value instanceof CivilDate) && isEmptyJson(value))) continue
          return value
        }
        return undefined
      },
    vectors: String.raw`
      {"body":{"op":"coalesce","of":[{"op":"field","of":{"op":"input"},"name":"a"},{"op":"field","of":{"op":"input"},"name":"b"},{"op":"literal","value":"none"}]},"cases":[{"input":{"b":2},"output":2},{"input":{"a":null,"b":null},"output":"none"},{"input":{"a":"","b":1},"output":""}]}
      {"body":{"op":"coalesce","of":[{"op":"field","of":{"op":"input"},"name":"a"},{"op":"field","of":{"op":"input"},"name":"b"}],"skipEmpty":true},"cases":[{"input":{"a":"","b":1},"output":1},{"input":{"a":""},"fails":"missing"}]}
      {"body":{"op":"coalesce","of":[{"op":"upper","text":{"op":"field","of":{"op":"input"},"name":"a"}},{"op":"literal","value":"x"}]},"cases":[{"input":{"a":1},"fails":"type_mismatch"}]}
    `,
  }),
  orElse: operator({
    fields: { of: exprs(ANY) },
    operands: [],
    result: ['of'],
    meaning: 'The first that has an answer. Running out of fuel or memory is not caught.',
    fails: 'missing',
    evaluate: ({ of }) => {
      const first = of.slice(0, -1)
      const last = of.at(-1)
      return (frame) => {
        for (const step of first) {
          const value = attempt(step, frame)
          if (!(value instanceof Failure)) return value
        }
        return last?.(frame)
      }
    },
    vectors: String.raw`
      {"body":{"op":"orElse","of":[{"op":"toNumber","of":{"op":"input"}},{"op":"upper","text":{"op":"input"}},{"op":"literal","value":"?"}]},"cases":[{"input":"12","output":12},{"input":"ab","output":"AB"},{"input":[],"output":"?"}]}
      {"body":{"op":"orElse","of":[{"op":"toNumber","of":{"op":"input"}}]},"cases":[{"input":"x","fails":"no_match"}]}
    `,
  }),
  can: operator({
    fields: { of: expr(ANY) },
    operands: [],
    result: BOOLEAN,
    meaning: 'Whether the expression has an answer. Running out of fuel or memory is not caught.',
    evaluate:
      ({ of }) =>
      (frame) =>
        !(attempt(of, frame) instanceof Failure),
    vectors: String.raw`
      {"body":{"op":"can","of":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"}},"cases":[{"input":"2024-01-01","output":true},{"input":"x","output":false}]}
    `,
  }),
}

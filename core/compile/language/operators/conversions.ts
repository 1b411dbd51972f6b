import { canonicalJson } from '../../../kernel/json/json.ts'
import { reserve } from '../evaluate/frame.ts'
import { readPlainNumber } from '../primitives/numbers/number-text.ts'
import { jsonToBoolean, jsonToText, parseJsonText, sizeOfJson } from '../primitives/values/json-values.ts'
import { BOOLEAN, either, JSON_VALUE, NUMBER, TEXT } from '../value-types.ts'
import { operator } from './entry.ts'
import { expr } from './fields.ts'

const of = expr(either(TEXT, NUMBER, BOOLEAN))

/** Operators between types. */
export const CONVERSIONS = {
  toText: operator({
    fields: { of },
    operands: ['of'],
    result: TEXT,
    meaning: "A text as it is, a number in ECMAScript's shortest form, `true` or `false`.",
    fails: 'type_mismatch',
    evaluate: () => (value, frame) => {
      const text = jsonToText(value)
      if (text !== undefined && typeof value !== 'string') reserve(frame, text.length)
      return text
    },
    vectors: String.raw`
      {"body":{"op":"toText","of":{"op":"input"}},"cases":[{"input":"x","output":"x"},{"input":1e+21,"output":"1e+21"},{"input":1e-07,"output":"1e-7"},{"input":0.1,"output":"0.1"},{"input":true,"output":"true"},{"input":null,"fails":"type_mismatch"},{"input":[],"fails":"type_mismatch"}]}
    `,
  }),
  toNumber: operator({
    fields: { of },
    operands: ['of'],
    result: NUMBER,
    meaning:
      'A number as it is, 1 or 0 of a boolean, a text of the form below with class `space` around; else `no_match`.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate: () => (value) => (typeof value === 'string' ? readPlainNumber(value) : Number(value)),
    vectors: String.raw`
      {"body":{"op":"toNumber","of":{"op":"input"}},"cases":[{"input":" -1.5e3 ","output":-1500},{"input":"+.5","output":0.5},{"input":"5.","output":5},{"input":"0x10","fails":"no_match"},{"input":"","fails":"no_match"},{"input":true,"output":1},{"input":null,"fails":"type_mismatch"}]}
      {"body":{"op":"toNumber","of":{"op":"input"}},"cases":[{"input":"-.5e2","output":-50},{"input":"5.e1","output":50},{"input":".","fails":"no_match"},{"input":"1e12345","fails":"no_match"},{"input":"1e400","fails":"no_match"},{"input":" 7 ","output":7},{"input":"0x10","fails":"no_match"},{"input":"1_000","fails":"no_match"}]}
    `,
  }),
  toBoolean: operator({
    fields: { of },
    operands: ['of'],
    result: BOOLEAN,
    meaning:
      'A boolean, 1 or 0, or true/false, yes/no, y/n, on/off, 1/0 in any case with class `space` around; else `no_match`.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate: () => jsonToBoolean,
    vectors: String.raw`
      {"body":{"op":"toBoolean","of":{"op":"input"}},"cases":[{"input":" YES ","output":true},{"input":"off","output":false},{"input":1,"output":true},{"input":2,"fails":"no_match"},{"input":"maybe","fails":"no_match"},{"input":null,"fails":"type_mismatch"}]}
      {"body":{"op":"toBoolean","of":{"op":"input"}},"cases":[{"input":"\tOFF\n","output":false},{"input":"n o","fails":"no_match"}]}
    `,
  }),
  toJson: operator({
    fields: { of: expr(JSON_VALUE) },
    operands: ['of'],
    result: TEXT,
    meaning: 'The canonical JSON text (RFC 8785).',
    evaluate: () => (value, frame) => {
      reserve(frame, sizeOfJson(value, frame.room))
      return canonicalJson(value)
    },
    vectors: String.raw`
      {"body":{"op":"toJson","of":{"op":"input"}},"cases":[{"input":{"b":1.0,"a":["é",null]},"output":"{\"a\":[\"é\",null],\"b\":1}"}]}
    `,
  }),
  parseJson: operator({
    fields: { text: expr(TEXT) },
    operands: ['text'],
    result: JSON_VALUE,
    meaning: 'The value of a JSON text, nested at most 64 deep; else `no_match`.',
    fails: 'no_match',
    evaluate: () => (text, frame) => {
      reserve(frame, text.length * 8)
      return parseJsonText(text)
    },
    vectors: String.raw`
      {"body":{"op":"parseJson","text":{"op":"input"}},"cases":[{"input":"{\"a\":[1]}","output":{"a":[1]}},{"input":"{","fails":"no_match"},{"input":"1e999","fails":"no_match"}]}
    `,
  }),
}

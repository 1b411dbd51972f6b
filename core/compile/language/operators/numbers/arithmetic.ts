import { type ArithmeticOp, ROUND_MODES } from '../../names.ts'
import { calculate } from '../../primitives/numbers/arithmetic.ts'
import { roundDecimals, roundSignificant, roundToStep } from '../../primitives/numbers/rounding.ts'
import { NUMBER } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { added, choice, expr, integer, optional } from '../fields.ts'

const mode = optional(choice(ROUND_MODES))

const arithmetic = (name: ArithmeticOp, print: string | undefined, meaning: string, vectors: string) =>
  operator({
    fields: { left: expr(NUMBER), right: expr(NUMBER) },
    operands: ['left', 'right'],
    result: NUMBER,
    meaning,
    fails: 'out_of_range',
    ...(print === undefined ? {} : { print }),
    evaluate: () => (left, right) => calculate(name, left, right),
    vectors,
  })

const ofValue = (meaning: string, compute: (value: number) => number, vectors: string) =>
  operator({
    fields: { value: expr(NUMBER) },
    operands: ['value'],
    result: NUMBER,
    meaning,
    evaluate: () => compute,
    vectors,
  })

/** Operators that compute numbers. */
export const ARITHMETIC = {
  add: arithmetic(
    'add',
    '+',
    'The decimal sum.',
    String.raw`
    {"body":{"op":"add","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":0.1,"b":0.2},"output":0.3},{"input":{"a":1,"b":2},"output":3},{"input":{"a":1e+308,"b":1e+308},"fails":"out_of_range"}]}
  `,
  ),
  sub: arithmetic(
    'sub',
    '-',
    'The decimal difference.',
    String.raw`
    {"body":{"op":"sub","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":0.3,"b":0.1},"output":0.2},{"input":{"a":1,"b":1},"output":0}]}
  `,
  ),
  mul: arithmetic(
    'mul',
    '*',
    'The decimal product.',
    String.raw`
    {"body":{"op":"mul","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":19.99,"b":3},"output":59.97},{"input":{"a":1.1,"b":1.1},"output":1.21}]}
  `,
  ),
  div: arithmetic(
    'div',
    '/',
    'The decimal quotient; `out_of_range` by zero.',
    String.raw`
    {"body":{"op":"div","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":0.3,"b":0.1},"output":3},{"input":{"a":1,"b":3},"output":0.3333333333333333},{"input":{"a":1,"b":0},"fails":"out_of_range"}]}
  `,
  ),
  mod: arithmetic(
    'mod',
    '%',
    '`left - right * floor(left / right)`; `out_of_range` by zero.',
    String.raw`
    {"body":{"op":"mod","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":7,"b":3},"output":1},{"input":{"a":-7,"b":3},"output":2},{"input":{"a":7,"b":-3},"output":-2},{"input":{"a":5.5,"b":0.5},"output":0},{"input":{"a":0.3,"b":0.1},"output":0},{"input":{"a":1,"b":0},"fails":"out_of_range"}]}
  `,
  ),
  pow: arithmetic(
    'pow',
    undefined,
    'A whole power from -64 to 64, else `out_of_range`.',
    String.raw`
    {"body":{"op":"pow","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":1.1,"b":2},"output":1.21},{"input":{"a":2,"b":-2},"output":0.25},{"input":{"a":0,"b":-1},"fails":"out_of_range"},{"input":{"a":2,"b":0.5},"fails":"out_of_range"},{"input":{"a":2,"b":65},"fails":"out_of_range"}]}
  `,
  ),
  min: arithmetic(
    'min',
    undefined,
    'The smaller.',
    String.raw`
    {"body":{"op":"min","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":1,"b":2},"output":1}]}
  `,
  ),
  max: arithmetic(
    'max',
    undefined,
    'The larger.',
    String.raw`
    {"body":{"op":"max","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":1,"b":2},"output":2}]}
  `,
  ),
  neg: ofValue(
    'The number with the other sign.',
    (value) => 0 - value,
    String.raw`
    {"body":{"op":"neg","value":{"op":"input"}},"cases":[{"input":5,"output":-5},{"input":0,"output":0}]}
  `,
  ),
  abs: ofValue(
    'The magnitude.',
    Math.abs,
    String.raw`
    {"body":{"op":"abs","value":{"op":"input"}},"cases":[{"input":-2.5,"output":2.5}]}
  `,
  ),
  sign: ofValue(
    '-1, 0 or 1.',
    (value) => Math.sign(value) + 0,
    String.raw`
    {"body":{"op":"sign","value":{"op":"input"}},"cases":[{"input":-3,"output":-1},{"input":0,"output":0},{"input":9,"output":1}]}
  `,
  ),
  round: operator({
    fields: { value: expr(NUMBER), decimals: optional(integer(-20, 20)), mode, digits: added(integer(1, 17)) },
    operands: ['value'],
    result: NUMBER,
    meaning:
      'Rounded to `decimals` places (default 0; negative: tens, hundreds). Default mode `halfUp`. `digits` counts significant digits, in place of decimals.',
    fails: 'out_of_range',
    evaluate:
      ({ decimals = 0, mode: rounding = 'halfUp', digits }) =>
      (value) => {
        const rounded =
          digits === undefined ? roundDecimals(value, decimals, rounding) : roundSignificant(value, digits, rounding)
        return Number.isFinite(rounded) ? rounded : undefined
      },
    vectors: String.raw`
      {"body":{"op":"round","value":{"op":"input"},"decimals":2},"cases":[{"input":1.005,"output":1.01},{"input":-1.005,"output":-1.01},{"input":2.675,"output":2.68},{"input":3,"output":3}]}
      {"body":{"op":"round","value":{"op":"input"},"mode":"halfUp"},"cases":[{"input":2.5,"output":3},{"input":-2.5,"output":-3},{"input":2.1,"output":2}]}
      {"body":{"op":"round","value":{"op":"input"},"mode":"halfEven"},"cases":[{"input":2.5,"output":2},{"input":-2.5,"output":-2},{"input":2.1,"output":2}]}
      {"body":{"op":"round","value":{"op":"input"},"mode":"halfDown"},"cases":[{"input":2.5,"output":2},{"input":-2.5,"output":-2},{"input":2.1,"output":2}]}
      {"body":{"op":"round","value":{"op":"input"},"mode":"floor"},"cases":[{"input":2.5,"output":2},{"input":-2.5,"output":-3},{"input":2.1,"output":2}]}
      {"body":{"op":"round","value":{"op":"input"},"mode":"ceil"},"cases":[{"input":2.5,"output":3},{"input":-2.5,"output":-2},{"input":2.1,"output":3}]}
      {"body":{"op":"round","value":{"op":"input"},"mode":"truncate"},"cases":[{"input":2.5,"output":2},{"input":-2.5,"output":-2},{"input":2.1,"output":2}]}
      {"body":{"op":"round","value":{"op":"input"},"mode":"expand"},"cases":[{"input":2.5,"output":3},{"input":-2.5,"output":-3},{"input":2.1,"output":3}]}
      {"body":{"op":"round","value":{"op":"input"},"decimals":-2},"cases":[{"input":1250,"output":1300},{"input":1249,"output":1200}]}
      {"body":{"op":"round","value":{"op":"input"},"digits":3},"cases":[{"input":12345,"output":12300},{"input":0.0012345,"output":0.00123},{"input":9.999,"output":10},{"input":0,"output":0},{"input":-1.005,"output":-1.01}]}
      {"body":{"op":"round","value":{"op":"input"},"digits":2,"mode":"expand"},"cases":[{"input":1201,"output":1300},{"input":1200,"output":1200}]}
    `,
  }),
  roundStep: operator({
    fields: { value: expr(NUMBER), step: expr(NUMBER), mode },
    operands: ['value', 'step'],
    result: NUMBER,
    meaning: 'Rounded to a multiple of a step above 0, else `out_of_range`. Default mode `halfUp`.',
    fails: 'out_of_range',
    evaluate:
      ({ mode: rounding = 'halfUp' }) =>
      (value, step) =>
        roundToStep(value, step, rounding),
    vectors: String.raw`
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":10},"mode":"floor"},"cases":[{"input":37,"output":30},{"input":-1,"output":-10},{"input":30,"output":30}]}
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":0.05}},"cases":[{"input":1.13,"output":1.15},{"input":1.125,"output":1.15},{"input":0.1,"output":0.1}]}
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":0}},"cases":[{"input":1,"fails":"out_of_range"}]}
      {"body":{"op":"let","name":"low","value":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":10},"mode":"floor"},"in":{"op":"concat","parts":[{"op":"toText","of":{"op":"var","name":"low"}},{"op":"literal","value":"-"},{"op":"toText","of":{"op":"add","left":{"op":"var","name":"low"},"right":{"op":"literal","value":9}}}]}},"cases":[{"input":37,"output":"30-39"}]}
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":0.5},"mode":"halfUp"},"cases":[{"input":0.75,"output":1},{"input":-0.75,"output":-1},{"input":1.1,"output":1},{"input":-1.1,"output":-1}]}
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":0.5},"mode":"halfEven"},"cases":[{"input":0.75,"output":1},{"input":-0.75,"output":-1},{"input":1.1,"output":1},{"input":-1.1,"output":-1}]}
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":0.5},"mode":"halfDown"},"cases":[{"input":0.75,"output":0.5},{"input":-0.75,"output":-0.5},{"input":1.1,"output":1},{"input":-1.1,"output":-1}]}
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":0.5},"mode":"ceil"},"cases":[{"input":0.75,"output":1},{"input":-0.75,"output":-0.5},{"input":1.1,"output":1.5},{"input":-1.1,"output":-1}]}
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":0.5},"mode":"truncate"},"cases":[{"input":0.75,"output":0.5},{"input":-0.75,"output":-0.5},{"input":1.1,"output":1},{"input":-1.1,"output":-1}]}
      {"body":{"op":"roundStep","value":{"op":"input"},"step":{"op":"literal","value":0.5},"mode":"expand"},"cases":[{"input":0.75,"output":1},{"input":-0.75,"output":-1},{"input":1.1,"output":1.5},{"input":-1.1,"output":-1.5}]}
    `,
  }),
}

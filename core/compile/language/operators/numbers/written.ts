import { failure, scan, spend } from '../../evaluate/frame.ts'
import { DECIMAL_OPS, LANGUAGE_2, ROUND_MODES } from '../../names.ts'
import { remainderOf } from '../../primitives/numbers/remainder.ts'
import { readQuantityText, UNIT_NAMES, UNITS } from '../../primitives/numbers/units.ts'
import { calculateWritten, roundWritten } from '../../primitives/numbers/written-decimal.ts'
import { either, NUMBER, TEXT } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { choice, expr, integer, list, optional } from '../fields.ts'

/** A vector for each unit: one of it is one. */
const ONE_OF_EACH = UNIT_NAMES.map((name) =>
  JSON.stringify({
    body: { op: 'readQuantity', text: { op: 'input' }, to: name },
    cases: [{ input: `1 ${UNITS[name].symbols[0] ?? ''}`, output: 1 }],
  }),
).join('\n')

/** Fuel of converting a quantity, beside that of its text. */
const QUANTITY_FUEL = 8

/** Operators on decimals and quantities as they are written. */
export const WRITTEN_NUMBERS = {
  decimal: operator({
    since: LANGUAGE_2,
    fields: { do: choice(DECIMAL_OPS), left: expr(either(TEXT, NUMBER)), right: expr(either(TEXT, NUMBER)) },
    operands: ['left', 'right'],
    result: TEXT,
    meaning:
      'The exact sum, difference or product of written decimals, with their decimals: see "Written decimals". `no_match` for a text that is none.',
    fuel: ['make'],
    fails: 'no_match',
    print: ({ do: name, left, right }, print) =>
      `decimal(${print.node(left)} ${name === 'add' ? '+' : name === 'sub' ? '-' : '*'} ${print.node(right)})`,
    evaluate:
      ({ do: name }) =>
      (left, right, frame) => {
        for (const operand of [left, right]) if (typeof operand === 'string') scan(frame, operand.length)
        return calculateWritten(name, left, right)
      },
    vectors: String.raw`
      {"body":{"op":"decimal","do":"add","left":{"op":"field","of":{"op":"input"},"name":"a"},"right":{"op":"field","of":{"op":"input"},"name":"b"}},"cases":[{"input":{"a":"1.50","b":"0.25"},"output":"1.75"},{"input":{"a":"9.9","b":"0.100"},"output":"10.000"},{"input":{"a":"12345678901234567890.10","b":"0.01"},"output":"12345678901234567890.11"},{"input":{"a":0.1,"b":"0.20"},"output":"0.30"},{"input":{"a":"-1.0","b":"1"},"output":"0.0"},{"input":{"a":"1,5","b":"1"},"fails":"no_match"},{"input":{"a":"","b":"1"},"fails":"no_match"},{"input":{"a":null,"b":"1"},"fails":"type_mismatch"}]}
      {"body":{"op":"decimal","do":"sub","left":{"op":"input"},"right":{"op":"literal","value":"0.05"}},"cases":[{"input":" +.5 ","output":"0.45"},{"input":"−1","output":"-1.05"},{"input":1e+21,"output":"999999999999999999999.95"}]}
      {"body":{"op":"decimal","do":"mul","left":{"op":"input"},"right":{"op":"literal","value":3}},"cases":[{"input":"2.00","output":"6.00"},{"input":"-0.35","output":"-1.05"},{"input":"7.","fails":"no_match"}]}
      {"body":{"op":"decimal","do":"mul","left":{"op":"input"},"right":{"op":"literal","value":"0.01"}},"cases":[{"input":"12.50","output":"0.1250"},{"input":7,"output":"0.07"}]}
    `,
  }),
  decimalRound: operator({
    since: LANGUAGE_2,
    fields: { value: expr(either(TEXT, NUMBER)), decimals: integer(0, 20), mode: optional(choice(ROUND_MODES)) },
    operands: ['value'],
    result: TEXT,
    meaning:
      'A written decimal rounded to `decimals` where it has more, exactly; one that has fewer keeps them. Default mode `halfUp`.',
    fuel: ['scan', 'make'],
    fails: 'no_match',
    evaluate:
      ({ decimals: places, mode = 'halfUp' }) =>
      (value) =>
        roundWritten(value, places, mode),
    vectors: String.raw`
      {"body":{"op":"decimalRound","value":{"op":"input"},"decimals":1},"cases":[{"input":"1.25","output":"1.3"},{"input":"200.0","output":"200.0"},{"input":"5","output":"5"},{"input":2.349,"output":"2.3"},{"input":"-0.04","output":"0.0"},{"input":"5.58E-001","output":"0.6"},{"input":"1e3","output":"1000"},{"input":"1e500","fails":"no_match"},{"input":"x","fails":"no_match"}]}
      {"body":{"op":"decimalRound","value":{"op":"input"},"decimals":0,"mode":"halfEven"},"cases":[{"input":"2.5","output":"2"},{"input":"3.50","output":"4"},{"input":"12345678901234567890.5","output":"12345678901234567890"}]}
      {"body":{"op":"decimalRound","value":{"op":"input"},"decimals":0,"mode":"halfUp"},"cases":[{"input":"-2.5","output":"-3"}]}
      {"body":{"op":"decimalRound","value":{"op":"input"},"decimals":0,"mode":"halfDown"},"cases":[{"input":"-2.5","output":"-2"}]}
      {"body":{"op":"decimalRound","value":{"op":"input"},"decimals":0,"mode":"floor"},"cases":[{"input":"-2.5","output":"-3"},{"input":"2.5","output":"2"}]}
      {"body":{"op":"decimalRound","value":{"op":"input"},"decimals":0,"mode":"ceil"},"cases":[{"input":"-2.5","output":"-2"},{"input":"2.1","output":"3"}]}
      {"body":{"op":"decimalRound","value":{"op":"input"},"decimals":0,"mode":"truncate"},"cases":[{"input":"-2.9","output":"-2"}]}
      {"body":{"op":"decimalRound","value":{"op":"input"},"decimals":20,"mode":"expand"},"cases":[{"input":"0.000000000000000000001","output":"0.00000000000000000001"}]}
    `,
  }),
  decimalSum: operator({
    since: LANGUAGE_2,
    fields: { list },
    operands: ['list'],
    result: TEXT,
    meaning:
      '`decimal` sum of a list of texts and numbers, from left to right; `0` for an empty list, `no_match` for an item that is no decimal.',
    fuel: ['make'],
    fails: 'no_match',
    evaluate: (_given, op) => (items, frame) => {
      spend(frame, items.length)
      let sum: string | undefined = '0'
      for (const item of items) {
        if (typeof item !== 'string' && typeof item !== 'number') throw failure('type_mismatch', op)
        if (sum === undefined) return undefined
        scan(frame, sum.length + (typeof item === 'string' ? item.length : 0))
        sum = calculateWritten('add', sum, item)
      }
      return sum
    },
    vectors: String.raw`
      {"body":{"op":"decimalSum","list":{"op":"input"}},"cases":[{"input":["1.10","2.2",3],"output":"6.30"},{"input":[],"output":"0"},{"input":["1","x"],"fails":"no_match"},{"input":["1",null],"fails":"type_mismatch"}]}
    `,
  }),
  readQuantity: operator({
    since: LANGUAGE_2,
    fields: { text: expr(TEXT), to: choice(UNIT_NAMES) },
    operands: ['text'],
    result: NUMBER,
    meaning: 'The amounts with units that the whole text is, in the unit `to`: see "Quantities"; else `no_match`.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate:
      ({ to }) =>
      (value, frame) => {
        spend(frame, QUANTITY_FUEL)
        return readQuantityText(value, to)
      },
    vectors: String.raw`
      {"body":{"op":"readQuantity","text":{"op":"input"},"to":"km"},"cases":[{"input":"12 mi","output":19.312128},{"input":"1,500m","output":1.5},{"input":"5 ft 11 in","output":0.0018034},{"input":"5'11\"","output":0.0018034},{"input":"12 Kilometres","output":12},{"input":"-3 km","output":-3},{"input":"12","fails":"no_match"},{"input":"11 in 5 ft","fails":"no_match"},{"input":"12 kg","fails":"no_match"},{"input":"1 km 2 km","fails":"no_match"}]}
      {"body":{"op":"readQuantity","text":{"op":"input"},"to":"mi"},"cases":[{"input":"12 km","output":7.456454306848007}]}
      {"body":{"op":"readQuantity","text":{"op":"input"},"to":"min"},"cases":[{"input":"1h 30m","output":90},{"input":"2 hours and 5 minutes","output":125},{"input":"90 s","output":1.5},{"input":"PT1H30M","output":90},{"input":"P1DT2H","output":1560},{"input":"1 d","output":1440},{"input":"P1M","fails":"no_match"},{"input":"PT","fails":"no_match"},{"input":"P","fails":"no_match"}]}
      {"body":{"op":"readQuantity","text":{"op":"input"},"to":"B"},"cases":[{"input":"1.5 GiB","output":1610612736},{"input":"1.5 GB","output":1500000000},{"input":"8 bits","output":1},{"input":"2 kb","output":2000}]}
      {"body":{"op":"readQuantity","text":{"op":"input"},"to":"MB1024"},"cases":[{"input":"1 GB","output":1024},{"input":"512K","output":0.5}]}
      {"body":{"op":"readQuantity","text":{"op":"input"},"to":"C"},"cases":[{"input":"50 °F","output":10},{"input":"-40F","output":-40},{"input":"0 K","output":-273.15},{"input":"72 °F","output":22.22222222222222}]}
      {"body":{"op":"readQuantity","text":{"op":"input"},"to":"mps"},"cases":[{"input":"90 km/h","output":25}]}
      {"body":{"op":"readQuantity","text":{"op":"input"},"to":"one"},"cases":[{"input":"1.5K","output":1500},{"input":"$2M","output":2000000},{"input":"3 billion","output":3000000000},{"input":"300","output":300},{"input":"1K 2","fails":"no_match"}]}
    ${ONE_OF_EACH}
    `,
  }),
  remainder: operator({
    since: LANGUAGE_2,
    fields: { text: expr(TEXT), divisor: integer(2, 1_000_000) },
    operands: ['text'],
    result: NUMBER,
    meaning:
      'The remainder of a number of any length by a divisor. The text is the number: digits and capital letters, which stand for 10 (`A`) to 35 (`Z`); else `no_match`.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate:
      ({ divisor }) =>
      (value) =>
        remainderOf(value, divisor),
    vectors: String.raw`
      {"body":{"op":"remainder","text":{"op":"input"},"divisor":97},"cases":[{"input":"3214282912345698765432161182","output":1},{"input":"WEST12345698765432GB82","output":1},{"input":"96","output":96},{"input":"97","output":0},{"input":"","fails":"no_match"},{"input":"1 2","fails":"no_match"},{"input":"a","fails":"no_match"},{"input":12,"fails":"type_mismatch"}]}
      {"body":{"op":"remainder","text":{"op":"input"},"divisor":1000000},"cases":[{"input":"123456789012345678901234567890","output":567890},{"input":"A","output":10},{"input":"Z","output":35}]}
    `,
  }),
}

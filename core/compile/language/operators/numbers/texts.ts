import { GROUP_WIDTHS, ROUND_MODES, SIGN_STYLES } from '../../names.ts'
import { formatNumberText, parseNumberText } from '../../primitives/numbers/number-text.ts'
import {
  numberWordsText,
  ordinalText,
  parseRadixText,
  parseRomanText,
  radixText,
  romanText,
} from '../../primitives/numbers/number-words.ts'
import { NUMBER, TEXT } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { added, choice, expr, flag, integer, optional, text } from '../fields.ts'

const decimals = optional(integer(0, 20))
const decimal = optional(text(1, 4))
const group = optional(text(0, 4))
const groups = added(choice(GROUP_WIDTHS))

const writing = (meaning: string, write: (value: number) => string | undefined, vectors: string) =>
  operator({
    fields: { value: expr(NUMBER) },
    operands: ['value'],
    result: TEXT,
    meaning,
    fuel: ['make'],
    fails: 'out_of_range',
    evaluate: () => write,
    vectors,
  })

/** Operators that read and write numbers with separators. */
export const NUMBER_TEXTS = {
  parseNumber: operator({
    fields: { text: expr(TEXT), decimal, group, currency: flag, percent: flag, parentheses: flag, groups },
    operands: ['text'],
    result: NUMBER,
    meaning: 'The number that the whole text is; `no_match` when it is none. Defaults: decimal `.`, no grouping.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate: (given) => {
      const reading = {
        decimal: '.',
        group: '',
        currency: false,
        percent: false,
        parentheses: false,
        ...given,
      } as const
      return (text) => parseNumberText(text, reading)
    },
    vectors: String.raw`
      {"body":{"op":"parseNumber","text":{"op":"input"},"group":",","currency":true,"percent":true,"parentheses":true},"cases":[{"input":"$1,234.50","output":1234.5},{"input":"(12)","output":-12},{"input":"12.5%","output":0.125},{"input":"-€5","output":-5},{"input":"€ -5","output":-5},{"input":"5 EUR","output":5},{"input":"US$ 3","output":3},{"input":".5","output":0.5},{"input":"1,23","fails":"no_match"},{"input":"5.","fails":"no_match"},{"input":"","fails":"no_match"},{"input":"1 2","fails":"no_match"},{"input":"-(5)","fails":"no_match"},{"input":" −7 ","output":-7}]}
      {"body":{"op":"parseNumber","text":{"op":"input"},"decimal":",","group":"."},"cases":[{"input":"1.234,5","output":1234.5},{"input":"1234,5","output":1234.5},{"input":"1.2345","fails":"no_match"}]}
      {"body":{"op":"parseNumber","text":{"op":"input"},"group":"'","groups":"threes"},"cases":[{"input":"1'234'567","output":1234567},{"input":"12'34'567","fails":"no_match"}]}
      {"body":{"op":"parseNumber","text":{"op":"input"},"group":",","groups":"indian"},"cases":[{"input":"12,34,567.5","output":1234567.5},{"input":"1,234","output":1234},{"input":"1234567","output":1234567},{"input":"1,234,567","fails":"no_match"},{"input":"123,456","fails":"no_match"},{"input":"12,34","fails":"no_match"}]}
      {"body":{"op":"parseNumber","text":{"op":"input"},"group":" "},"cases":[{"input":"1 234","output":1234}]}
      {"body":{"op":"parseNumber","text":{"op":"input"}},"cases":[{"input":"1,234","fails":"no_match"},{"input":"007","output":7},{"input":"12%","fails":"no_match"}]}
    `,
  }),
  formatNumber: operator({
    fields: {
      value: expr(NUMBER),
      minDecimals: decimals,
      maxDecimals: decimals,
      mode: optional(choice(ROUND_MODES)),
      decimal,
      group,
      minDigits: optional(integer(1, 64)),
      sign: optional(choice(SIGN_STYLES)),
      groups,
      digits: added(integer(1, 17)),
    },
    operands: ['value'],
    result: TEXT,
    meaning:
      'Plain digits, never an exponent. Defaults: as many decimals as the number has, `halfUp`, decimal `.`, no groups, sign `negative`. `digits` counts significant digits, in place of decimals.',
    fuel: ['make'],
    fails: 'out_of_range',
    evaluate: ({
      minDecimals = 0,
      maxDecimals,
      mode = 'halfUp',
      decimal: point = '.',
      group: separator = '',
      minDigits = 1,
      sign = 'negative',
      ...others
    }) => {
      const form = {
        minDecimals,
        maxDecimals,
        mode,
        decimal: point,
        group: separator,
        minDigits,
        sign,
        ...others,
      } as const
      return (value) => formatNumberText(value, form)
    },
    vectors: String.raw`
      {"body":{"op":"formatNumber","value":{"op":"input"},"minDecimals":2,"maxDecimals":2,"group":","},"cases":[{"input":1234567.005,"output":"1,234,567.01"},{"input":-0.001,"output":"0.00"},{"input":999.995,"output":"1,000.00"},{"input":-5,"output":"-5.00"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"}},"cases":[{"input":1e+21,"output":"1000000000000000000000"},{"input":1e-07,"output":"0.0000001"},{"input":0.1,"output":"0.1"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"minDigits":3,"decimal":",","sign":"always"},"cases":[{"input":7.25,"output":"+007,25"},{"input":0,"output":"+000"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"sign":"parentheses","maxDecimals":0,"mode":"floor"},"cases":[{"input":-1.2,"output":"(2)"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"sign":"never"},"cases":[{"input":-3,"output":"3"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"maxDecimals":1,"mode":"halfUp"},"cases":[{"input":0.25,"output":"0.3"},{"input":-0.25,"output":"-0.3"},{"input":0.21,"output":"0.2"},{"input":0.35,"output":"0.4"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"maxDecimals":1,"mode":"halfEven"},"cases":[{"input":0.25,"output":"0.2"},{"input":-0.25,"output":"-0.2"},{"input":0.21,"output":"0.2"},{"input":0.35,"output":"0.4"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"maxDecimals":1,"mode":"halfDown"},"cases":[{"input":0.25,"output":"0.2"},{"input":-0.25,"output":"-0.2"},{"input":0.21,"output":"0.2"},{"input":0.35,"output":"0.3"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"maxDecimals":1,"mode":"ceil"},"cases":[{"input":0.25,"output":"0.3"},{"input":-0.25,"output":"-0.2"},{"input":0.21,"output":"0.3"},{"input":0.35,"output":"0.4"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"maxDecimals":1,"mode":"truncate"},"cases":[{"input":0.25,"output":"0.2"},{"input":-0.25,"output":"-0.2"},{"input":0.21,"output":"0.2"},{"input":0.35,"output":"0.3"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"maxDecimals":1,"mode":"expand"},"cases":[{"input":0.25,"output":"0.3"},{"input":-0.25,"output":"-0.3"},{"input":0.21,"output":"0.3"},{"input":0.35,"output":"0.4"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"sign":"negative"},"cases":[{"input":-3,"output":"-3"},{"input":3,"output":"3"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"group":",","groups":"indian"},"cases":[{"input":1234567.5,"output":"12,34,567.5"},{"input":-100000,"output":"-1,00,000"},{"input":999,"output":"999"},{"input":1000,"output":"1,000"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"group":" ","groups":"threes"},"cases":[{"input":1234567,"output":"1 234 567"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"digits":3},"cases":[{"input":1234.5,"output":"1230"},{"input":0.00123456,"output":"0.00123"},{"input":9.996,"output":"10.0"},{"input":5,"output":"5.00"},{"input":0,"output":"0.00"},{"input":-0.5,"output":"-0.500"}]}
      {"body":{"op":"formatNumber","value":{"op":"input"},"digits":1,"mode":"floor"},"cases":[{"input":19,"output":"10"},{"input":-11,"output":"-20"}]}
    `,
  }),
}

/** Operators that write numbers in words, numerals and other bases, and read them. */
export const NUMBER_NAMES = {
  ordinal: writing(
    '`1st`, `22nd`, `13th`; whole numbers up to 2^53 - 1 in magnitude, else `out_of_range`.',
    ordinalText,
    String.raw`
      {"body":{"op":"ordinal","value":{"op":"input"}},"cases":[{"input":1,"output":"1st"},{"input":2,"output":"2nd"},{"input":3,"output":"3rd"},{"input":11,"output":"11th"},{"input":112,"output":"112th"},{"input":121,"output":"121st"},{"input":1.5,"fails":"out_of_range"}]}
      {"body":{"op":"ordinal","value":{"op":"input"}},"cases":[{"input":9007199254740991,"output":"9007199254740991st"},{"input":9007199254740993,"fails":"out_of_range"},{"input":-2,"output":"-2nd"}]}
    `,
  ),
  roman: writing(
    'Roman numerals, 1 to 3999, upper-case.',
    romanText,
    String.raw`
    {"body":{"op":"roman","value":{"op":"input"}},"cases":[{"input":1994,"output":"MCMXCIV"},{"input":0,"fails":"out_of_range"}]}
  `,
  ),
  parseRoman: operator({
    fields: { text: expr(TEXT) },
    operands: ['text'],
    result: NUMBER,
    meaning: 'A roman numeral of either case, in its one correct form; else `no_match`.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate: () => parseRomanText,
    vectors: String.raw`
      {"body":{"op":"parseRoman","text":{"op":"input"}},"cases":[{"input":"mcmxciv","output":1994},{"input":"IIII","fails":"no_match"},{"input":"","fails":"no_match"}]}
    `,
  }),
  numberWords: writing(
    'English words: `minus one thousand two hundred thirty-four`. Below 10^15.',
    numberWordsText,
    String.raw`
    {"body":{"op":"numberWords","value":{"op":"input"}},"cases":[{"input":-1234567,"output":"minus one million two hundred thirty-four thousand five hundred sixty-seven"},{"input":0,"output":"zero"},{"input":20,"output":"twenty"},{"input":100,"output":"one hundred"}]}
  `,
  ),
  formatRadix: operator({
    fields: { value: expr(NUMBER), radix: integer(2, 36) },
    operands: ['value'],
    result: TEXT,
    meaning: 'A whole number up to 2^53 - 1 in magnitude in another base, lower-case digits; else `out_of_range`.',
    fuel: ['make'],
    fails: 'out_of_range',
    evaluate:
      ({ radix }) =>
      (value) =>
        radixText(value, radix),
    vectors: String.raw`
      {"body":{"op":"formatRadix","value":{"op":"input"},"radix":16},"cases":[{"input":255,"output":"ff"},{"input":0.5,"fails":"out_of_range"}]}
      {"body":{"op":"formatRadix","value":{"op":"input"},"radix":2},"cases":[{"input":9007199254740993,"fails":"out_of_range"},{"input":-5,"output":"-101"}]}
    `,
  }),
  parseRadix: operator({
    fields: { text: expr(TEXT), radix: integer(2, 36) },
    operands: ['text'],
    result: NUMBER,
    meaning:
      'A whole number up to 2^53 - 1 in magnitude written in another base with at most 64 digits, either case, with an optional sign; else `no_match`.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate:
      ({ radix }) =>
      (text) =>
        parseRadixText(text, radix),
    vectors: String.raw`
      {"body":{"op":"parseRadix","text":{"op":"input"},"radix":16},"cases":[{"input":"fF","output":255},{"input":"-10","output":-16},{"input":"g","fails":"no_match"},{"input":"","fails":"no_match"}]}
      {"body":{"op":"parseRadix","text":{"op":"input"},"radix":2},"cases":[{"input":"0000000000000000000000000000000000000000000000000000000000000000","output":0},{"input":"00000000000000000000000000000000000000000000000000000000000000000","fails":"no_match"},{"input":"111111111111111111111111111111111111111111111111111111","fails":"no_match"},{"input":"+101","output":5}]}
    `,
  }),
}

import { reserve, reserveItems, failure } from '../../evaluate/frame.ts'
import { EDGES, SIDES } from '../../names.ts'
import { WHITE_SPACE } from '../../primitives/text/char-classes.ts'
import {
  collapseSpaceIn,
  filterChars,
  padText,
  replaceMatches,
  replaceNth,
  splitAt,
  trimText,
} from '../../primitives/text/edit.ts'
import { countMatches, matchesNeeded } from '../../primitives/text/positions.ts'
import { LIST, NUMBER, TEXT } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { charSet, choice, expr, flag, list, occurrence, optional, pattern, text as textField } from '../fields.ts'

function wholeCount(value: number, op: string): number {
  if (!Number.isInteger(value) || value < 0) throw failure('out_of_range', op)
  return value
}

const filtering = (isKept: boolean, meaning: string, vectors: string) =>
  operator({
    fields: { text: expr(TEXT), set: charSet },
    operands: ['text'],
    result: TEXT,
    meaning,
    fuel: ['scan', 'make'],
    evaluate:
      ({ set }) =>
      (text) =>
        filterChars(text, set, isKept),
    vectors,
  })

/** Operators that change a text, or make it out of others. */
export const EDITING = {
  trim: operator({
    fields: { text: expr(TEXT), side: optional(choice(SIDES)), set: optional(charSet) },
    operands: ['text'],
    result: TEXT,
    meaning: 'Without the characters of `set` (default: `space`) at the ends. Default side: `both`.',
    fuel: ['scan', 'make'],
    evaluate:
      ({ side = 'both', set = WHITE_SPACE }) =>
      (text) =>
        trimText(text, side, set),
    vectors: String.raw`
      {"body":{"op":"trim","text":{"op":"input"}},"cases":[{"input":"\t a b \n","output":"a b"},{"input":"   ","output":""}]}
      {"body":{"op":"trim","text":{"op":"input"},"side":"start","set":{"chars":"0"}},"cases":[{"input":"00100","output":"100"},{"input":"000","output":""}]}
      {"body":{"op":"trim","text":{"op":"input"},"side":"end","set":{"classes":["punct","space"]}},"cases":[{"input":"(Hi!) .","output":"(Hi"}]}
      {"body":{"op":"trim","text":{"op":"input"},"side":"both"},"cases":[{"input":"  a b ","output":"a b"},{"input":"　x","output":"x"}]}
    `,
  }),
  collapseSpace: operator({
    fields: { text: expr(TEXT) },
    operands: ['text'],
    result: TEXT,
    meaning: 'Every run of `space` characters becomes one U+0020. The ends are not trimmed.',
    fuel: ['scan', 'make'],
    evaluate: () => collapseSpaceIn,
    vectors: String.raw`
      {"body":{"op":"collapseSpace","text":{"op":"input"}},"cases":[{"input":" a \t b\n","output":" a b "},{"input":"a b","output":"a b"}]}
    `,
  }),
  pad: operator({
    fields: { text: expr(TEXT), side: choice(EDGES), width: expr(NUMBER), fill: textField(1, 64) },
    operands: ['text', 'width'],
    result: TEXT,
    meaning:
      'At least `width` units: repetitions of `fill`, the last of which is cut, are put before (`start`) or after. `width` is a whole number, 0 or more, else `out_of_range`; `no_match` when the cut would tear a pair.',
    fails: 'no_match',
    evaluate:
      ({ side, fill }, op) =>
      (text, width, frame) => {
        const units = wholeCount(width, op)
        reserve(frame, Math.max(units, text.length))
        return padText(text, side, units, fill)
      },
    vectors: String.raw`
      {"body":{"op":"pad","text":{"op":"input"},"side":"start","width":{"op":"literal","value":5},"fill":"0"},"cases":[{"input":"42","output":"00042"},{"input":"123456","output":"123456"}]}
      {"body":{"op":"pad","text":{"op":"input"},"side":"end","width":{"op":"literal","value":5},"fill":"ab"},"cases":[{"input":"x","output":"xabab"},{"input":"xy","output":"xyaba"}]}
      {"body":{"op":"pad","text":{"op":"input"},"side":"end","width":{"op":"literal","value":-1},"fill":" "},"cases":[{"input":"x","fails":"out_of_range"}]}
      {"body":{"op":"pad","text":{"op":"literal","value":"x"},"side":"end","width":{"op":"input"},"fill":"😀"},"cases":[{"input":3,"output":"x😀"},{"input":4,"fails":"no_match"},{"input":1,"output":"x"},{"input":0,"output":"x"},{"input":-1,"fails":"out_of_range"},{"input":1.5,"fails":"out_of_range"}]}
    `,
  }),
  replace: operator({
    fields: { text: expr(TEXT), find: pattern, with: expr(TEXT), occurrence: optional(occurrence) },
    operands: ['text'],
    result: TEXT,
    meaning: 'Every match, or the k-th only, replaced by the text `with` as it is. No match: unchanged.',
    evaluate: ({ find, with: replacement, occurrence: k }) => {
      const limit = k === undefined ? Infinity : matchesNeeded(k)
      return (text, frame) => {
        const matches = find.all(frame, text, limit)
        const put = replacement(frame)
        if (matches.length === 0) return text
        if (k === undefined) {
          reserve(frame, text.length + countMatches(matches) * put.length)
          return replaceMatches(text, matches, put)
        }
        const out = replaceNth(text, matches, k, put)
        reserve(frame, out.length)
        return out
      }
    },
    vectors: String.raw`
      {"body":{"op":"replace","text":{"op":"input"},"find":{"kind":"literal","text":"-"},"with":{"op":"literal","value":"/"}},"cases":[{"input":"1-2-3","output":"1/2/3"},{"input":"123","output":"123"}]}
      {"body":{"op":"replace","text":{"op":"input"},"find":{"kind":"literal","text":"aa"},"with":{"op":"literal","value":"b"}},"cases":[{"input":"aaaaa","output":"bba"}]}
      {"body":{"op":"replace","text":{"op":"input"},"find":{"kind":"regex","regex":"(\\d)(\\d)"},"with":{"op":"literal","value":"$1"}},"cases":[{"input":"a12b34","output":"a$1b$1"}]}
      {"body":{"op":"replace","text":{"op":"input"},"find":{"kind":"token","name":"space"},"with":{"op":"literal","value":""},"occurrence":-1},"cases":[{"input":"a b c","output":"a bc"},{"input":"abc","output":"abc"}]}
      {"body":{"op":"replace","text":{"op":"field","of":{"op":"input"},"name":"t"},"find":{"kind":"text","text":{"op":"field","of":{"op":"input"},"name":"x"}},"with":{"op":"literal","value":""}},"cases":[{"input":{"t":"a-b-a","x":"-"},"output":"aba"},{"input":{"t":"ab","x":""},"output":"ab"}]}
      {"body":{"op":"replace","text":{"op":"input"},"find":{"kind":"regex","regex":"b*"},"with":{"op":"literal","value":"-"}},"cases":[{"input":"abc","output":"-a-c-"}]}
    `,
  }),
  split: operator({
    fields: { text: expr(TEXT), by: pattern, dropEmpty: flag },
    operands: ['text'],
    result: LIST,
    meaning: 'The parts between the matches. Empty matches do not split. `dropEmpty` leaves out empty parts.',
    evaluate:
      ({ by, dropEmpty = false }) =>
      (text, frame) => {
        const matches = by.all(frame, text, Infinity)
        reserveItems(frame, countMatches(matches) + 1)
        reserve(frame, text.length)
        return splitAt(text, matches, dropEmpty)
      },
    vectors: String.raw`
      {"body":{"op":"split","text":{"op":"input"},"by":{"kind":"literal","text":","}},"cases":[{"input":"a,,b,","output":["a","","b",""]},{"input":"","output":[""]}]}
      {"body":{"op":"split","text":{"op":"input"},"by":{"kind":"regex","regex":"\\s*[,;]\\s*"},"dropEmpty":true},"cases":[{"input":" a ; b,,c","output":[" a","b","c"]},{"input":"","output":[]}]}
      {"body":{"op":"split","text":{"op":"input"},"by":{"kind":"token","name":"start"}},"cases":[{"input":"ab","output":["ab"]}]}
    `,
  }),
  join: operator({
    fields: { list, separator: expr(TEXT) },
    operands: ['list', 'separator'],
    result: TEXT,
    meaning: 'The texts of a list with the separator between them.',
    evaluate: (_given, op) => (items, separator, frame) => {
      if (!items.every((item) => typeof item === 'string')) throw failure('type_mismatch', op)
      let length = separator.length * Math.max(0, items.length - 1)
      for (const item of items) length += item.length
      // The size is known before anything is built.
      reserve(frame, length)
      return items.join(separator)
    },
    vectors: String.raw`
      {"body":{"op":"join","list":{"op":"input"},"separator":{"op":"literal","value":"-"}},"cases":[{"input":["a","b","c"],"output":"a-b-c"},{"input":[],"output":""},{"input":[1],"fails":"type_mismatch"}]}
    `,
  }),
  repeat: operator({
    fields: { text: expr(TEXT), times: expr(NUMBER) },
    operands: ['text', 'times'],
    result: TEXT,
    meaning: 'The text so many times; a whole number, 0 or more, else `out_of_range`.',
    evaluate: (_given, op) => (text, times, frame) => {
      const count = wholeCount(times, op)
      if (text === '') return ''
      reserve(frame, text.length * count)
      return text.repeat(count)
    },
    vectors: String.raw`
      {"body":{"op":"repeat","text":{"op":"input"},"times":{"op":"literal","value":3}},"cases":[{"input":"ab","output":"ababab"}]}
      {"body":{"op":"repeat","text":{"op":"literal","value":"x"},"times":{"op":"input"}},"cases":[{"input":0,"output":""},{"input":-1,"fails":"out_of_range"},{"input":1.5,"fails":"out_of_range"},{"input":"1","fails":"type_mismatch"},{"input":1000000000000000.0,"fails":"out_of_memory"}]}
    `,
  }),
  removeChars: filtering(
    false,
    'Without the characters of the set.',
    String.raw`
    {"body":{"op":"removeChars","text":{"op":"input"},"set":{"classes":["digit"],"chars":"-"}},"cases":[{"input":"a1-b2","output":"ab"}]}
  `,
  ),
  keepChars: filtering(
    true,
    'Only the characters of the set.',
    String.raw`
    {"body":{"op":"keepChars","text":{"op":"input"},"set":{"classes":["alpha","anyDigit"]}},"cases":[{"input":"Ж-१२ é₁","output":"Ж१२é"}]}
      {"body":{"op":"keepChars","text":{"op":"input"},"set":{"classes":["digit"]}},"cases":[{"input":"+1 (555) 010-9999","output":"15550109999"},{"input":"٣a","output":""}]}
    {"body":{"op":"keepChars","text":{"op":"input"},"set":{"classes":["alpha"],"chars":"😀"}},"cases":[{"input":"é1😀😁z","output":"é😀z"}]}
    {"body":{"op":"keepChars","text":{"op":"input"},"set":{"classes":["ascii"]}},"cases":[{"input":"naïve","output":"nave"}]}
    {"body":{"op":"keepChars","text":{"op":"input"},"set":{"classes":["upper","lower","alnum","mark","punct","space"]}},"cases":[{"input":"A b!","output":"A b!"}]}
  `,
  ),
}

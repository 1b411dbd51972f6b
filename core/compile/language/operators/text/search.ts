import type { CompiledPattern } from '../../evaluate/compiler.ts'
import { reserve, reserveItems } from '../../evaluate/frame.ts'
import { countMatches, matchesNeeded, matchIndex } from '../../primitives/text/positions.ts'
import { BOOLEAN, LIST, NUMBER, TEXT } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { expr, integer, occurrence, optional, pattern } from '../fields.ts'

const grouped = { ...pattern, group: 'group' } as const
const regexGroup = optional(integer(0, 20))

const testing = (test: Exclude<keyof CompiledPattern, 'all'>, meaning: string, vectors: string) =>
  operator({
    fields: { text: expr(TEXT), pattern },
    operands: ['text'],
    result: BOOLEAN,
    meaning,
    evaluate: (given) => {
      const holds = given.pattern[test]
      return (text, frame) => holds(frame, text)
    },
    vectors,
  })

/** Operators that search texts. */
export const SEARCHING = {
  extract: operator({
    fields: { text: expr(TEXT), pattern: grouped, occurrence, group: regexGroup },
    operands: ['text'],
    result: TEXT,
    meaning: 'The k-th match, or a group of it (regex only); `no_match` when there is none.',
    fuel: ['make'],
    fails: 'no_match',
    evaluate: ({ pattern: { all }, occurrence: k, group }) => {
      // Matches whose group took no part are left out: how many it needs is not known before.
      const limit = group === undefined ? matchesNeeded(k) : Infinity
      return (text, frame) => {
        const matches = all(frame, text, limit)
        const index = matchIndex(matches, k)
        return index === -1 ? undefined : text.slice(matches[index], matches[index + 1])
      }
    },
    vectors: String.raw`
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"regex","regex":"([A-Z]+)-(\\d+)"},"occurrence":1,"group":2},"cases":[{"input":"x AB-12 C-3","output":"12"},{"input":"x","fails":"no_match"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"number"},"occurrence":-1},"cases":[{"input":"1,234.5 and -7","output":"-7"},{"input":"10-20","output":"20"},{"input":"v1.2.3","output":"3"},{"input":"12,34","output":"34"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"regex","regex":"order","ignoreCase":true},"occurrence":1},"cases":[{"input":"my ORDER","output":"ORDER"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"anyDigits"},"occurrence":1},"cases":[{"input":"no ٢٥٠, 7","output":"٢٥٠"},{"input":"ab12","output":"12"},{"input":"Ⅻ","fails":"no_match"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"digits"},"occurrence":1},"cases":[{"input":"ab12","output":"12"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"lower"},"occurrence":1},"cases":[{"input":"ABcdE","output":"cd"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"upper"},"occurrence":1},"cases":[{"input":"abCDe","output":"CD"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"alpha"},"occurrence":1},"cases":[{"input":"12é_ab","output":"é"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"alnum"},"occurrence":1},"cases":[{"input":"-a1é-","output":"a1é"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"space"},"occurrence":1},"cases":[{"input":"a \tb","output":" \t"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"word"},"occurrence":1},"cases":[{"input":"-o'neil-smith_2-","output":"o'neil-smith_2"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"proper"},"occurrence":1},"cases":[{"input":"ABc","output":"Bc"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"number"},"occurrence":1},"cases":[{"input":"$-1,234.50","output":"1,234.50"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"nonspace"},"occurrence":1},"cases":[{"input":" a-b c","output":"a-b"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"punct"},"occurrence":1},"cases":[{"input":"a€!b","output":"€!"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"line"},"occurrence":1},"cases":[{"input":"\n\nab\r\nc","output":"ab"}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"start"},"occurrence":1},"cases":[{"input":"ab","output":""}]}
      {"body":{"op":"extract","text":{"op":"input"},"pattern":{"kind":"token","name":"end"},"occurrence":1},"cases":[{"input":"ab","output":""}]}
    `,
  }),
  extractAll: operator({
    fields: { text: expr(TEXT), pattern: grouped, group: regexGroup },
    operands: ['text'],
    result: LIST,
    meaning: 'Every match, or a group of each. Matches whose group took no part are left out.',
    evaluate:
      ({ pattern: { all } }) =>
      (text, frame) => {
        const matches = all(frame, text, Infinity)
        reserveItems(frame, countMatches(matches))
        const out: string[] = []
        for (let i = 0; i < matches.length; i += 2) {
          const match = text.slice(matches[i], matches[i + 1])
          reserve(frame, match.length)
          out.push(match)
        }
        return out
      },
    vectors: String.raw`
      {"body":{"op":"extractAll","text":{"op":"input"},"pattern":{"kind":"token","name":"digits"}},"cases":[{"input":"1a22b333","output":["1","22","333"]},{"input":"a","output":[]}]}
      {"body":{"op":"extractAll","text":{"op":"input"},"pattern":{"kind":"regex","regex":"(a)|b"},"group":1},"cases":[{"input":"abab","output":["a","a"]}]}
    `,
  }),
  count: operator({
    fields: { text: expr(TEXT), pattern },
    operands: ['text'],
    result: NUMBER,
    meaning: 'Number of matches.',
    evaluate:
      ({ pattern: { all } }) =>
      (text, frame) =>
        countMatches(all(frame, text, Infinity)),
    vectors: String.raw`
      {"body":{"op":"count","text":{"op":"input"},"pattern":{"kind":"literal","text":"aa"}},"cases":[{"input":"aaaaa","output":2},{"input":"","output":0}]}
      {"body":{"op":"count","text":{"op":"input"},"pattern":{"kind":"token","name":"word"}},"cases":[{"input":"it's a test","output":3}]}
    `,
  }),
  indexOf: operator({
    fields: { text: expr(TEXT), pattern, occurrence },
    operands: ['text'],
    result: NUMBER,
    meaning: 'The position where the k-th match starts; `no_match` when there is none.',
    fails: 'no_match',
    evaluate: ({ pattern: { all }, occurrence: k }) => {
      const limit = matchesNeeded(k)
      return (text, frame) => {
        const matches = all(frame, text, limit)
        const index = matchIndex(matches, k)
        return index === -1 ? undefined : matches[index]
      }
    },
    vectors: String.raw`
      {"body":{"op":"indexOf","text":{"op":"input"},"pattern":{"kind":"literal","text":"b"},"occurrence":-1},"cases":[{"input":"abcb","output":3},{"input":"ac","fails":"no_match"}]}
    `,
  }),
  contains: testing(
    'isIn',
    'There is a match.',
    String.raw`
    {"body":{"op":"contains","text":{"op":"input"},"pattern":{"kind":"regex","regex":"^\\d+$"}},"cases":[{"input":"123","output":true},{"input":"12a","output":false}]}
    {"body":{"op":"contains","text":{"op":"input"},"pattern":{"kind":"literal","text":"é"}},"cases":[{"input":"café","output":true},{"input":"cafe","output":false}]}
  `,
  ),
  startsWith: testing(
    'isAtStart',
    'The text starts with the literal; for tokens and regexes: the first match starts at 0.',
    String.raw`
      {"body":{"op":"startsWith","text":{"op":"input"},"pattern":{"kind":"literal","text":"ab"}},"cases":[{"input":"abc","output":true},{"input":"cab","output":false}]}
      {"body":{"op":"startsWith","text":{"op":"input"},"pattern":{"kind":"token","name":"digits"}},"cases":[{"input":"1a","output":true},{"input":"a1","output":false}]}
      {"body":{"op":"startsWith","text":{"op":"literal","value":"abc"},"pattern":{"kind":"text","text":{"op":"input"}}},"cases":[{"input":"","output":false},{"input":"a","output":true},{"input":"b","output":false}]}
    `,
  ),
  endsWith: testing(
    'isAtEnd',
    'The text ends with the literal; for tokens and regexes: the last match ends at the end.',
    String.raw`
      {"body":{"op":"endsWith","text":{"op":"input"},"pattern":{"kind":"literal","text":"aa"}},"cases":[{"input":"aaa","output":true},{"input":"a","output":false}]}
      {"body":{"op":"endsWith","text":{"op":"input"},"pattern":{"kind":"regex","regex":"\\d+"}},"cases":[{"input":"a1","output":true},{"input":"1a","output":false}]}
    `,
  ),
  matches: testing(
    'isWhole',
    'The text is the literal; for a token: its only match is the whole text; for a regex: it matches the whole text.',
    String.raw`
      {"body":{"op":"matches","text":{"op":"input"},"pattern":{"kind":"regex","regex":"a|ab"}},"cases":[{"input":"ab","output":true},{"input":"abc","output":false}]}
      {"body":{"op":"matches","text":{"op":"input"},"pattern":{"kind":"token","name":"upper"}},"cases":[{"input":"ABC","output":true},{"input":"AbC","output":false},{"input":"","output":false}]}
      {"body":{"op":"matches","text":{"op":"literal","value":""},"pattern":{"kind":"text","text":{"op":"input"}}},"cases":[{"input":"","output":false},{"input":1,"fails":"type_mismatch"}]}
    `,
  ),
}

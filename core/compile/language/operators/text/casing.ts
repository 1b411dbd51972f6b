import { WORD_RULES } from '../../names.ts'
import { capitaliseText, sentenceText, titleText } from '../../primitives/text/casing.ts'
import { TEXT } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { choice, expr, optional } from '../fields.ts'

const casing = (meaning: string, change: (text: string) => string, vectors: string) =>
  operator({
    fields: { text: expr(TEXT) },
    operands: ['text'],
    result: TEXT,
    meaning,
    fuel: ['scan', 'make'],
    evaluate: () => change,
    vectors,
  })

/** Operators that change the case of letters. */
export const CASING = {
  upper: casing(
    'Upper case.',
    (text) => text.toUpperCase(),
    String.raw`
    {"body":{"op":"upper","text":{"op":"input"}},"cases":[{"input":"straße ñ","output":"STRASSE Ñ"},{"input":1,"fails":"type_mismatch"}]}
  `,
  ),
  lower: casing(
    'Lower case.',
    (text) => text.toLowerCase(),
    String.raw`
    {"body":{"op":"lower","text":{"op":"input"}},"cases":[{"input":"ÀB","output":"àb"},{"input":"ΑΣ","output":"ας"}]}
  `,
  ),
  capitalise: casing(
    'The first letter upper-case, the rest as it was.',
    capitaliseText,
    String.raw`
    {"body":{"op":"capitalise","text":{"op":"input"}},"cases":[{"input":"hello WORLD","output":"Hello WORLD"},{"input":"\"quoted\"","output":"\"Quoted\""},{"input":"123","output":"123"}]}
  `,
  ),
  sentence: casing(
    'Lower case, then the first letter upper-case.',
    sentenceText,
    String.raw`
    {"body":{"op":"sentence","text":{"op":"input"}},"cases":[{"input":"HELLO World","output":"Hello world"}]}
  `,
  ),
  title: operator({
    fields: { text: expr(TEXT), words: optional(choice(WORD_RULES)) },
    operands: ['text'],
    result: TEXT,
    meaning: 'Lower case, then the first letter of every word upper-case. Default words: `word`.',
    fuel: ['scan', 'make'],
    evaluate:
      ({ words = 'word' }) =>
      (text) =>
        titleText(text, words),
    vectors: String.raw`
      {"body":{"op":"title","text":{"op":"input"}},"cases":[{"input":"DON'T sTOP 2nd o’neil-smith","output":"Don't Stop 2nd O’neil-Smith"}]}
      {"body":{"op":"title","text":{"op":"input"},"words":"space"},"cases":[{"input":"jean-luc 2nd","output":"Jean-luc 2nd"}]}
      {"body":{"op":"title","text":{"op":"input"},"words":"letters"},"cases":[{"input":"o'neil 2nd","output":"O'Neil 2Nd"}]}
      {"body":{"op":"title","text":{"op":"input"},"words":"word"},"cases":[{"input":"o'neill of the 3rd","output":"O'neill Of The 3rd"},{"input":"x-ray","output":"X-Ray"}]}
    `,
  }),
}

import { reserveItems } from '../../evaluate/frame.ts'
import { isList } from '../../evaluate/operands.ts'
import { NEW_NAMES, NORMAL_FORMS } from '../../names.ts'
import { normalizeText } from '../../primitives/text/casing.ts'
import { reverseText } from '../../primitives/text/edit.ts'
import { either, LIST, NUMBER, OBJECT, TEXT } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { choice, expr } from '../fields.ts'

/** Operators on the units of texts, some of which take lists and objects too. */
export const MEASURING = {
  length: operator({
    fields: { of: expr(either(TEXT, LIST, OBJECT)) },
    operands: ['of'],
    result: NUMBER,
    meaning: 'Units of a text, items of a list, members of an object.',
    evaluate: () => (of) => (typeof of === 'string' || isList(of) ? of.length : Object.keys(of).length),
    vectors: String.raw`
      {"body":{"op":"length","of":{"op":"input"}},"cases":[{"input":"a😀","output":3},{"input":[1,2],"output":2},{"input":{"a":1},"output":1},{"input":null,"fails":"type_mismatch"}]}
      {"body":{"op":"length","of":{"op":"input"}},"cases":[{"input":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],"fails":"invalid_input"},{"input":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],"output":1}]}
    `,
  }),
  reverse: operator({
    fields: { of: expr(either(TEXT, LIST)) },
    operands: ['of'],
    result: TEXT | LIST,
    meaning: 'A text backwards by code points, a list by items.',
    fuel: ['make'],
    evaluate: () => (of, frame) => {
      if (typeof of === 'string') return reverseText(of)
      reserveItems(frame, of.length)
      return of.toReversed()
    },
    vectors: String.raw`
      {"body":{"op":"reverse","of":{"op":"input"}},"cases":[{"input":"a😀b","output":"b😀a"},{"input":[1,2],"output":[2,1]}]}
    `,
  }),
  chars: operator({
    fields: { text: expr(TEXT) },
    operands: ['text'],
    result: LIST,
    meaning: 'The code points, as texts.',
    evaluate: () => (text, frame) => {
      reserveItems(frame, text.length)
      return Array.from(text)
    },
    vectors: String.raw`
      {"body":{"op":"chars","text":{"op":"input"}},"cases":[{"input":"a😀","output":["a","😀"]}]}
    `,
  }),
  normalize: operator({
    fields: { text: expr(TEXT), form: choice(NORMAL_FORMS, NEW_NAMES) },
    operands: ['text'],
    result: TEXT,
    meaning:
      'A Unicode normal form. `unaccent`: NFKD, category Mn removed, NFC. `asciiDigits`: decimal digits in ASCII, see "Digits".',
    fuel: ['scan', 'make'],
    evaluate:
      ({ form }) =>
      (text) =>
        normalizeText(text, form),
    vectors: String.raw`
      {"body":{"op":"normalize","text":{"op":"input"},"form":"unaccent"},"cases":[{"input":"Ünïcode Łódź","output":"Unicode Łodz"}]}
      {"body":{"op":"normalize","text":{"op":"input"},"form":"nfkc"},"cases":[{"input":"ﬁ①","output":"fi1"}]}
      {"body":{"op":"length","of":{"op":"normalize","text":{"op":"input"},"form":"nfd"}},"cases":[{"input":"é","output":2}]}
      {"body":{"op":"length","of":{"op":"normalize","text":{"op":"input"},"form":"nfc"}},"cases":[{"input":"é","output":1}]}
      {"body":{"op":"normalize","text":{"op":"input"},"form":"asciiDigits"},"cases":[{"input":"٢٥٠ ريال","output":"250 ريال"},{"input":"１２．５","output":"12.5"},{"input":"۱٬۲۳۴٫۵٪","output":"1,234.5%"},{"input":"क३ 7","output":"क3 7"},{"input":"😀𝟗","output":"😀𝟗"}]}
    `,
  }),
}

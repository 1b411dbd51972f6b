import { reserve } from '../../evaluate/frame.ts'
import { sliceText } from '../../primitives/text/positions.ts'
import { TEXT } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { expr, exprs, pos } from '../fields.ts'

/** Operators that put texts together and take them apart. */
export const MAKING = {
  concat: operator({
    fields: { parts: exprs(TEXT) },
    operands: [],
    result: TEXT,
    meaning: 'The texts one after the other.',
    evaluate:
      ({ parts }) =>
      (frame) => {
        let out = ''
        for (const part of parts) {
          const text = part(frame)
          reserve(frame, text.length)
          out += text
        }
        return out
      },
    vectors: String.raw`
      {"body":{"op":"concat","parts":[{"op":"field","of":{"op":"input"},"name":"a"},{"op":"literal","value":", "},{"op":"field","of":{"op":"input"},"name":"b"}]},"cases":[{"input":{"a":"x","b":"y"},"output":"x, y"},{"input":{"a":"x","b":1},"fails":"type_mismatch"}]}
    `,
  }),
  slice: operator({
    fields: { text: expr(TEXT), start: pos, end: pos },
    operands: ['text'],
    result: TEXT,
    meaning: 'What stands between two positions. `no_match` when `end` is before `start` or a cut would tear a pair.',
    fuel: ['make'],
    fails: 'no_match',
    evaluate:
      ({ start, end }) =>
      (text, frame) =>
        sliceText(text, start(frame, text), end(frame, text)),
    vectors: String.raw`
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"absPos","from":"start","offset":1},"end":{"op":"absPos","from":"end","offset":1}},"cases":[{"input":"abcd","output":"bc"},{"input":"ab","output":""},{"input":"a","fails":"no_match"},{"input":"","fails":"no_match"},{"input":"a😀c","output":"😀"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"absPos","from":"start","offset":0},"end":{"op":"absPos","from":"start","offset":1}},"cases":[{"input":"abc","output":"a"},{"input":"😀","fails":"no_match"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"matchPos","pattern":{"kind":"token","name":"digits"},"occurrence":1,"edge":"start"},"end":{"op":"matchPos","pattern":{"kind":"token","name":"digits"},"occurrence":-1,"edge":"end"}},"cases":[{"input":"a12b34c","output":"12b34"},{"input":"abc","fails":"no_match"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"betweenPos","left":{"kind":"token","name":"lower"},"right":{"kind":"token","name":"upper"},"occurrence":1},"end":{"op":"absPos","from":"end","offset":0}},"cases":[{"input":"camelCaseText","output":"CaseText"},{"input":"camel","fails":"no_match"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"betweenPos","left":{"kind":"literal","text":":"},"right":{"kind":"token","name":"alpha"},"occurrence":-1},"end":{"op":"absPos","from":"end","offset":0}},"cases":[{"input":"a:b:c","output":"c"},{"input":"a: b","fails":"no_match"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"matchPos","pattern":{"kind":"literal","text":"("},"occurrence":1,"edge":"end"},"end":{"op":"seekPos","base":{"op":"matchPos","pattern":{"kind":"literal","text":"("},"occurrence":1,"edge":"end"},"pattern":{"kind":"literal","text":")"},"occurrence":1,"edge":"start"}},"cases":[{"input":"a) (b) c","output":"b"},{"input":"(b","fails":"no_match"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"seekPos","base":{"op":"matchPos","pattern":{"kind":"literal","text":"@"},"occurrence":1,"edge":"start"},"pattern":{"kind":"token","name":"alnum"},"occurrence":-1,"edge":"start"},"end":{"op":"matchPos","pattern":{"kind":"literal","text":"@"},"occurrence":1,"edge":"start"}},"cases":[{"input":"to joe.doe@x.org","output":"doe"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"shiftPos","base":{"op":"matchPos","pattern":{"kind":"literal","text":"#"},"occurrence":1,"edge":"start"},"by":2},"end":{"op":"absPos","from":"end","offset":0}},"cases":[{"input":"a#bcd","output":"cd"},{"input":"a#","fails":"no_match"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"exprPos","value":{"op":"literal","value":-3}},"end":{"op":"absPos","from":"end","offset":0}},"cases":[{"input":"abcdef","output":"def"},{"input":"ab","fails":"no_match"}]}
      {"body":{"op":"slice","text":{"op":"field","of":{"op":"input"},"name":"t"},"start":{"op":"absPos","from":"start","offset":0},"end":{"op":"exprPos","value":{"op":"field","of":{"op":"input"},"name":"n"}}},"cases":[{"input":{"t":"abc","n":2},"output":"ab"},{"input":{"t":"abc","n":1.5},"fails":"no_match"},{"input":{"t":"abc","n":"1"},"fails":"type_mismatch"}]}
      {"body":{"op":"slice","text":{"op":"input"},"start":{"op":"seekPos","base":{"op":"absPos","from":"start","offset":2},"pattern":{"kind":"token","name":"digits"},"occurrence":1,"edge":"end"},"end":{"op":"absPos","from":"end","offset":0}},"cases":[{"input":"12 34 x","output":" x"},{"input":"a","fails":"no_match"}]}
      {"body":{"op":"slice","text":{"op":"literal","value":"abc"},"start":{"op":"absPos","from":"start","offset":0},"end":{"op":"exprPos","value":{"op":"input"}}},"cases":[{"input":-1,"output":"ab"},{"input":2.5,"fails":"no_match"},{"input":-0.5,"fails":"no_match"},{"input":-4,"fails":"no_match"}]}
    `,
  }),
}

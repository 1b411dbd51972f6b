import { chargeRegex } from '../patterns.ts'
import { reserve, reserveItems, scan } from '../../evaluate/frame.ts'
import { LANGUAGE_2 } from '../../names.ts'
import { countMatches, matchesNeeded, matchIndex, sliceText } from '../../primitives/text/positions.ts'
import { type Landmarks, regionsBetween } from '../../primitives/text/regions.ts'
import { compileRegex, firstGroups } from '../../primitives/text/regex.ts'
import { LIST, TEXT } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { expr, occurrence } from '../fields.ts'
import type { Frame } from '../../evaluate/frame.ts'

const since = LANGUAGE_2
const landmarks = { kind: 'strings' } as const

function searchRegions(frame: Frame, text: string, given: Landmarks, limit: number) {
  for (let left = given.after.length + Math.max(1, given.before.length); left > 0; left--) scan(frame, text.length)
  return regionsBetween(text, given, limit)
}

/** Operators that find regions of long texts by what stands around them, added by `svc-recipe-2`. */
export const REGIONS = {
  between: operator({
    since,
    fields: { text: expr(TEXT), after: landmarks, before: landmarks, occurrence },
    operands: ['text'],
    result: TEXT,
    meaning: 'The k-th region of "Regions"; `no_match` when there is none, or when a cut would tear a pair.',
    fuel: ['make'],
    fails: 'no_match',
    evaluate:
      ({ after, before, occurrence: k }) =>
      (text, frame) => {
        const regions = searchRegions(frame, text, { after, before }, matchesNeeded(k))
        const index = matchIndex(regions, k)
        return index === -1 ? undefined : sliceText(text, regions[index] ?? -1, regions[index + 1] ?? -1)
      },
    vectors: String.raw`
      {"body":{"op":"between","text":{"op":"input"},"after":["\nTotal: "],"before":["\n"],"occurrence":1},"cases":[{"input":"Date: 3 May\nTotal: 12.50\nPaid: yes","output":"12.50"},{"input":"Total: 7","output":"7"},{"input":"Sub Total: 7","fails":"no_match"},{"input":"","fails":"no_match"},{"input":1,"fails":"type_mismatch"}]}
      {"body":{"op":"between","text":{"op":"input"},"after":["[db]","\nport = "],"before":["\n"],"occurrence":1},"cases":[{"input":"[web]\nport = 80\n[db]\nhost = a\nport = 5432\n","output":"5432"},{"input":"[web]\nport = 80\n[db]\nhost = a","fails":"no_match"}]}
      {"body":{"op":"between","text":{"op":"input"},"after":["<b>"],"before":["</b>"],"occurrence":-1},"cases":[{"input":"<b>x</b> <b>y</b> <b>z","output":"y"},{"input":"<b></b>","output":""}]}
      {"body":{"op":"between","text":{"op":"input"},"after":["Steps:\n"],"before":["\nSeverity:","\nOwner:",""],"occurrence":1},"cases":[{"input":"Steps:\n1. a\n2. b\nOwner: x\nSeverity: y","output":"1. a\n2. b"},{"input":"Steps:\nz","output":"z"}]}
      {"body":{"op":"between","text":{"op":"input"},"after":["a"],"before":[],"occurrence":2},"cases":[{"input":"aba","fails":"no_match"}]}
      {"body":{"op":"between","text":{"op":"input"},"after":[],"before":[":"],"occurrence":1},"cases":[{"input":"key: value: x","output":"key"},{"input":"key","fails":"no_match"}]}
    `,
  }),
  betweenAll: operator({
    since,
    fields: { text: expr(TEXT), after: landmarks, before: landmarks },
    operands: ['text'],
    result: LIST,
    meaning: 'Every region of "Regions".',
    evaluate: (given) => (text, frame) => {
      const regions = searchRegions(frame, text, given, Infinity)
      reserveItems(frame, countMatches(regions))
      const out: string[] = []
      for (let i = 0; i < regions.length; i += 2) {
        const region = text.slice(regions[i], regions[i + 1])
        reserve(frame, region.length)
        out.push(region)
      }
      return out
    },
    vectors: String.raw`
      {"body":{"op":"betweenAll","text":{"op":"input"},"after":["\n- "],"before":["\n"]},"cases":[{"input":"- a\nx\n- b\n- c","output":["a","b","c"]},{"input":"x","output":[]},{"input":"","output":[]}]}
      {"body":{"op":"betweenAll","text":{"op":"input"},"after":["<a","href=\""],"before":["\""]},"cases":[{"input":"<a id=\"1\" href=\"/x\">x</a><p href=\"/no\"><a href=\"/y\">","output":["/x","/y"]}]}
      {"body":{"op":"betweenAll","text":{"op":"input"},"after":[],"before":[]},"cases":[{"input":"ab","output":["ab"]}]}
    `,
  }),
  groups: operator({
    since,
    fields: { text: expr(TEXT), regex: { kind: 'regex' } },
    operands: ['text'],
    result: LIST,
    meaning: 'The groups of the first match, in order; empty for one that took no part. `no_match` without a match.',
    fails: 'no_match',
    evaluate: ({ regex: source }) => {
      const regex = compileRegex(source)
      return (text, frame) => {
        chargeRegex(frame, text.length, regex.size)
        const found = firstGroups(text, regex)
        if (found === undefined) return undefined
        reserveItems(frame, found.length)
        for (const group of found) reserve(frame, group.length)
        return found
      }
    },
    vectors: String.raw`
      {"body":{"op":"groups","text":{"op":"input"},"regex":"^(\\d+): (.*?) *\\((.*)\\)$"},"cases":[{"input":"12: a b (c)","output":["12","a b","c"]},{"input":"12 a","fails":"no_match"}]}
      {"body":{"op":"groups","text":{"op":"input"},"regex":"(a)|(b)"},"cases":[{"input":"xb","output":["","b"]}]}
      {"body":{"op":"groups","text":{"op":"input"},"regex":"x"},"cases":[{"input":"x","output":[]}]}
    `,
  }),
}

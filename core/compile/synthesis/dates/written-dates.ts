import type { TextNode } from '../search/node.ts'
import { shownOf } from '../search/unlabelled.ts'
import { costOf } from '../ranking/cost.ts'
import { matchPiece } from '../text/shape-pieces.ts'

/** Forms of a date inside a longer text, with the number of their parts. */
const FORMS = [
  { regex: '[0-9]{4}-[0-9]{2}-[0-9]{2}', parts: 5 },
  { regex: '[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}', parts: 5 },
  { regex: '[A-Z][a-z]+ [0-9]{1,2}, [0-9]{4}', parts: 6 },
  { regex: String.raw`[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}`, parts: 5 },
  { regex: String.raw`[0-9]{1,2}\/[0-9]{1,2}\/[0-9]{4}`, parts: 5 },
] as const

/** Longest texts in which dates are looked for. */
const MOST_UNITS = 400

/** Returns the first and the last date of each form that occurs in all of the shown texts, as pieces of them. */
export function writtenDates(texts: readonly TextNode[], shown: number): TextNode[] {
  return texts.flatMap((text) => {
    const values = shownOf(text.values, shown)
    if (values.some((value) => value === undefined || value.length > MOST_UNITS)) return []
    return FORMS.flatMap(({ regex, parts }) => {
      const matcher = new RegExp(regex, 'u')
      const isLonger = values.some((value) => (matcher.exec(value ?? '')?.[0].length ?? 0) < (value ?? '').length)
      if (!isLonger || !values.every((value) => matcher.test(value ?? ''))) return []
      const cost = text.cost.plus(costOf('shape.token', parts)).with('shape')
      return [1, -1].map((occurrence) => matchPiece(text, regex, occurrence, cost))
    })
  })
}

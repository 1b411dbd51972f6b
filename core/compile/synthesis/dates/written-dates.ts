import type { TextNode } from '../search/node.ts'
import { shownOf } from '../search/unlabelled.ts'
import { costOf } from '../ranking/cost.ts'
import { matchPiece } from '../text/shape-pieces.ts'

interface Form {
  readonly regex: string
  readonly parts: number
}

/** Forms of a date inside a longer text, with the number of their parts. */
const DATES: readonly Form[] = [
  { regex: '[0-9]{4}-[0-9]{2}-[0-9]{2}', parts: 5 },
  { regex: '[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}', parts: 5 },
  { regex: '[A-Z][a-z]+ [0-9]{1,2}, [0-9]{4}', parts: 6 },
  { regex: String.raw`[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}`, parts: 5 },
  { regex: String.raw`[0-9]{1,2}\/[0-9]{1,2}\/[0-9]{4}`, parts: 5 },
]
/** Forms of a time of day, with the hours of a day or of half a day. */
const TIMES: readonly Form[] = [
  { regex: '[0-9]{1,2}:[0-9]{2} ?[AaPp][Mm]', parts: 5 },
  { regex: '[0-9]{1,2}:[0-9]{2}', parts: 3 },
]
/** Texts between a date and its time. */
const LINKS: readonly Form[] = [
  { regex: ' ', parts: 1 },
  { regex: ' at ', parts: 1 },
  { regex: ', ', parts: 1 },
]
/** A date with its time is looked for before the date alone: it shows more of the output. */
const FORMS: readonly Form[] = [
  ...DATES.flatMap((date) => LINKS.flatMap((link) => TIMES.map((time) => joined(date, link, time)))),
  ...DATES,
  ...TIMES.slice(0, 1),
]
const MATCHERS = FORMS.map((form) => ({ ...form, matcher: new RegExp(form.regex, 'u') }))

function joined(...forms: readonly Form[]): Form {
  return {
    regex: forms.map(({ regex }) => regex).join(''),
    parts: forms.reduce((sum, { parts }) => sum + parts, 0),
  }
}

/** Longest texts in which dates are looked for. */
const MOST_UNITS = 400

/** Returns the first and the last date or time of each form that occurs in all of the shown texts, as pieces of them. */
export function writtenDates(texts: readonly TextNode[], shown: number): TextNode[] {
  return texts.flatMap((text) => {
    const values = shownOf(text.values, shown)
    if (values.some((value) => value === undefined || value.length > MOST_UNITS)) return []
    return MATCHERS.flatMap(({ regex, parts, matcher }) => {
      const isLonger = values.some((value) => (matcher.exec(value ?? '')?.[0].length ?? 0) < (value ?? '').length)
      if (!isLonger || !values.every((value) => matcher.test(value ?? ''))) return []
      const cost = text.cost.plus(costOf('shape.token', parts)).with('shape')
      return [1, -1].map((occurrence) => matchPiece(text, regex, occurrence, cost))
    })
  })
}

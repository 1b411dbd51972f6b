import { formatScore } from '../../../../core/compile/wire/facts/numbers.ts'
import type { SharedView } from '../../../../core/compile/wire/share/open.ts'
import { markup, type Markup, type Part } from '../../../../core/kernel/wire/markup.ts'
import { isJsonObject, type Json } from '../../../../core/kernel/json/json.ts'

const INSTANT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const SIZE = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 })

/** Longest value of a row that a page shows, in UTF-16 units. */
const MAX_VALUE = 400
/** Most members of a value that a page shows. */
const MAX_PAIRS = 12
const WIDTH = 120
const HEIGHT = 14

/** Pairs of a name and a value; those that do not hold are left out. */
export function factsList(facts: readonly (readonly [string, Part] | false)[]): Markup {
  const given = facts.filter((fact) => fact !== false)
  return markup`<dl class="facts">${given.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`
}

/** A state as a coloured word. */
export function badge(status: string, text: string): Markup {
  return markup`<span class="badge" data-status="${status}">${text}</span>`
}

/** A time in UTC, since the page does not know the zone of its reader. */
export function instant(iso: string): Markup {
  return markup`<time datetime="${iso}">${INSTANT.format(new Date(iso))} UTC</time>`
}

/** A number of bytes in its largest unit. */
export function bytesInWords(bytes: number): string {
  for (const [unit, size] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const) {
    if (bytes >= size * 0.9995) return `${SIZE.format(bytes / size)} ${unit}`
  }
  return `${SIZE.format(bytes)} B`
}

/** A value of a row: a text as it is, an object as its members, everything else as JSON; null where there is no answer. */
export function valueText(value: Json): Markup {
  if (isJsonObject(value) && Object.keys(value).length > 0) return pairsText(Object.entries(value))
  return markup`<span class="value">${shortened(value)}</span>`
}

/** Members as lines of `name: value`; those without a value are left out, and a name of null is not shown. */
export function pairsText(pairs: readonly (readonly [name: string | null, value: Json | undefined])[]): Markup {
  const given = pairs.filter((pair): pair is readonly [string | null, Json] => pair[1] !== undefined)
  const lines = given
    .slice(0, MAX_PAIRS)
    .map(
      ([name, value]) =>
        markup`<span>${name !== null && markup`<span class="quiet">${name}:</span> `}${shortened(value)}</span>`,
    )
  const rest = given.length - lines.length
  return markup`<span class="value pairs">${lines}${rest > 0 && markup`<span class="quiet">and ${rest} more</span>`}</span>`
}

function shortened(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

/** The K-score between 0 and 1 with its interval as a band, and both as numbers. */
export function scoreMark({ k_score: score, k_interval: interval }: SharedView): Markup {
  const range = interval === null ? '' : `${formatScore(interval.low)} to ${formatScore(interval.high)}`
  const label = `K ${formatScore(score)}${range === '' ? '' : `, 95% interval ${range}`}`
  const band =
    interval &&
    markup`<rect class="band" x="${interval.low * WIDTH}" y="3" width="${Math.max((interval.high - interval.low) * WIDTH, 2)}" height="8" rx="2"/>`
  return markup`<span class="score"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${label}"><rect class="track" x="0" y="5" width="${WIDTH}" height="4" rx="2"/>${band}<rect class="tick" x="${Math.min(score * WIDTH, WIDTH - 3) - 0.5}" y="0" width="3" height="${HEIGHT}" rx="1"/></svg><span class="figure" aria-hidden="true">${formatScore(score)}</span>${range !== '' && markup`<span class="quiet range" aria-hidden="true">${range.replace(' to ', '–')}</span>`}</span>`
}

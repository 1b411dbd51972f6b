import { expect } from 'chai'
import { DATE_LOCALES } from '../../../../../core/compile/language/primitives/dates/reading/lexicon.ts'
import type { DateReading } from '../../../../../core/compile/language/primitives/dates/reading/options.ts'
import { readDateText } from '../../../../../core/compile/language/primitives/dates/reading/read-date.ts'
import type { CivilDate } from '../../../../../core/compile/language/primitives/dates/civil-date.ts'

type Style = Intl.DateTimeFormatOptions

const DAYS: readonly Style[] = [
  { dateStyle: 'full' },
  { dateStyle: 'long' },
  { dateStyle: 'medium' },
  { dateStyle: 'short' },
  { year: 'numeric', month: '2-digit', day: '2-digit' },
  { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' },
]
const STAMPS: readonly Style[] = [
  { dateStyle: 'full', timeStyle: 'short' },
  { dateStyle: 'medium', timeStyle: 'medium' },
  { dateStyle: 'long', timeStyle: 'short', hour12: true },
  { year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', hourCycle: 'h23' },
]
const MONTHS: readonly Style[] = [{ year: 'numeric', month: 'long' }]
const NATIVE_DIGITS: Readonly<Record<string, string>> = { ar: 'arab', hi: 'deva', bn: 'beng', th: 'thai' }

interface Printed {
  readonly text: string
  readonly locale: string
  readonly moment: Date
  readonly shows: 'day' | 'stamp' | 'month'
  readonly style: Style
}

/** mulberry32, so that every run reads the same dates. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    yield ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** At least 2,000 dates of the years 1990 to 2030, in every locale and style. */
function printedDates(): Printed[] {
  const random = numbers(13)
  const printed: Printed[] = []
  for (const locale of DATE_LOCALES) {
    const system = NATIVE_DIGITS[locale]
    const tags = [`${locale}-u-ca-gregory`, ...(system === undefined ? [] : [`${locale}-u-ca-gregory-nu-${system}`])]
    for (const tag of tags) {
      for (const [shows, styles] of [
        ['day', DAYS],
        ['stamp', STAMPS],
        ['month', MONTHS],
      ] as const) {
        for (const style of styles) {
          for (let count = 0; count < 6; count++) {
            const moment = new Date(
              Date.UTC(1990, 0, 1) + Math.floor(random.next().value * 40 * 365.25 * 86_400) * 1000,
            )
            const text = new Intl.DateTimeFormat(tag, { ...style, timeZone: 'UTC' }).format(moment)
            printed.push({ text, locale, moment, shows, style })
          }
        }
      }
    }
  }
  return printed
}

function isRight(date: CivilDate, { moment, shows, style }: Printed): boolean {
  const isDay = date.year === moment.getUTCFullYear() && date.month === moment.getUTCMonth() + 1
  if (shows === 'month') return isDay && date.day === 1
  const isSame = isDay && date.day === moment.getUTCDate()
  if (shows === 'day') return isSame
  const seconds = style.timeStyle === 'medium' ? moment.getUTCSeconds() : 0
  return (
    isSame && date.hour === moment.getUTCHours() && date.minute === moment.getUTCMinutes() && date.second === seconds
  )
}

/** The order in which a locale writes the numbers of a date. */
function orderOf(locale: string): DateReading['order'] {
  const parts = new Intl.DateTimeFormat(`${locale}-u-ca-gregory`, { dateStyle: 'short' }).formatToParts(new Date(0))
  const order = parts.flatMap(({ type }) => (type === 'year' || type === 'month' || type === 'day' ? [type[0]] : []))
  return (['dmy', 'mdy', 'ymd'] as const).find((known) => known === order.join(''))
}

describe('dates printed by Intl in 30 locales', () => {
  const printed = printedDates()

  it('are read right, or refused as ambiguous, without any argument', () => {
    const outcomes = printed.map((one) => ({ one, read: readDateText(one.text)?.date }))
    const wrong = outcomes.filter(({ one, read }) => read !== undefined && !isRight(read, one))
    expect(wrong.map(({ one }) => `${one.locale}: ${one.text}`)).to.deep.equal([])
    expect(printed.length).to.be.greaterThan(2000)
  })

  it('are read in the order of their locale, 98 of 100 at least and none wrong', () => {
    const outcomes = printed.map((one) => {
      const order = orderOf(one.locale)
      const read = readDateText(one.text, { ...(order === undefined ? {} : { order }), locales: [one.locale] })?.date
      return { one, read }
    })
    const wrong = outcomes.filter(({ one, read }) => read !== undefined && !isRight(read, one))
    const unread = outcomes.filter(({ read }) => read === undefined)
    expect(wrong.map(({ one }) => `${one.locale}: ${one.text}`)).to.deep.equal([])
    expect(unread.length / printed.length).to.be.lessThan(0.02)
  })
})

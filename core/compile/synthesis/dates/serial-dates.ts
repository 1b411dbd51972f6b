import { type CivilDate, MS_PER_DAY, toCivilMs } from '../../language/primitives/dates/civil-date.ts'
import { costOf } from '../ranking/cost.ts'
import { literal } from '../search/build.ts'
import type { NumberNode } from '../search/node.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { DateNode } from './date-node.ts'
import { readDay } from './other-patterns.ts'
import { DAYS_LATER } from './shifted-dates.ts'
import { shownDates } from './shown-dates.ts'

const MAX_AMOUNTS = 4
const MIN_NUMBERS = 2
/** The days from which numbers of days are counted: spreadsheets of two kinds, and Unix. */
const ORIGINS = ['1899-12-30', '1904-01-01', '1970-01-01'] as const

function isFrom(origin: CivilDate | undefined, days: number | undefined, date: CivilDate): boolean {
  return origin !== undefined && days !== undefined && toCivilMs(origin) + days * MS_PER_DAY === toCivilMs(date)
}

/** Returns the dates that numbers of days stand for, as the outputs show: 45292 is the first day of 2024 in a spreadsheet. */
export function serialDates(numbers: readonly NumberNode[], outputs: readonly string[]): DateNode[] {
  const amounts = numbers.filter(({ values }) => {
    const present = shownOf(values, outputs.length)
    return new Set(present).size >= MIN_NUMBERS && present.every((value) => Number.isInteger(value))
  })
  if (amounts.length === 0) return []
  const targets = shownDates(outputs).filter(({ has }) => has === 'day')
  return amounts.slice(0, MAX_AMOUNTS).flatMap((amount) =>
    ORIGINS.flatMap((day): DateNode[] => {
      const origin = readDay({ expr: literal(day), values: amount.values.map(() => day) }, amount.cost)
      const isShown = targets.some(({ dates }) =>
        dates.every((date, row) => isFrom(origin.values[row], amount.values[row], date)),
      )
      return isShown ? [{ ...DAYS_LATER(origin, amount.cost.plus(costOf('serialDate')), amount), has: 'day' }] : []
    }),
  )
}

import type { Expr } from '../../language/ast.ts'
import type { DatePart } from '../../language/names.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { readDatePattern } from '../../language/primitives/dates/date-pattern.ts'
import { formatDateText } from '../../language/primitives/dates/date-text.ts'
import type { Node } from '../search/node.ts'

/** A date on every row. */
export type DateNode = Node<CivilDate> & {
  /** Content of the texts: a day, a time of the day, or both. */
  readonly has: 'day' | 'time' | 'both'
  /** Set when the texts name no year, so that it is one that the reader fills in. */
  readonly isYearless?: true
}

/** A part of a date, as a number. */
export function datePart(date: Expr, part: DatePart): Expr {
  return { op: 'datePart', date, part }
}

const KEY_ELEMENTS = readDatePattern('yyyy-MM-dd HH:mm:ss.SSS') ?? []

/** A vector of dates as a key. */
export function dateVectorKey(values: readonly (CivilDate | undefined)[]): string {
  return values.map((date) => (date === undefined ? '' : formatDateText(date, KEY_ELEMENTS))).join('|')
}

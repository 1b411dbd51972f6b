import type { DateExpr } from '../ast.ts'
import type { CivilDate } from '../primitives/dates/civil-date.ts'
import {
  addToDate,
  differenceOf,
  endOfPeriod,
  fromUnixTime,
  makeCivilDate,
  moveToOffset,
  partOf,
  startOfPeriod,
} from '../primitives/dates/date-math.ts'
import { type DateElement, readDatePattern } from '../primitives/dates/date-pattern.ts'
import { formatDateText, parseDateText } from '../primitives/dates/date-text.ts'
import { type Compiler, dateOf, numberOf, textOf } from './compiler.ts'
import { failure, found, made, scan, type Step } from './frame.ts'

function elementsOf(pattern: string): readonly DateElement[] {
  const elements = readDatePattern(pattern)
  if (elements === undefined) throw new TypeError(`no date pattern: ${pattern}`)
  return elements
}

/** Returns a step from one date to another; a result outside the calendar is out of range. */
function mapDate(date: Step<CivilDate>, op: string, change: (date: CivilDate) => CivilDate | undefined): Step {
  const outOfRange = failure('out_of_range', op)
  return (frame) => found(change(date(frame)), outOfRange)
}

/** Compiles an operator on dates. */
export function compileDate(compiler: Compiler, node: DateExpr): Step {
  const outOfRange = failure('out_of_range', node.op)
  switch (node.op) {
    case 'parseDate': {
      const text = textOf(compiler, node.text, node.op)
      const elements = elementsOf(node.pattern)
      const { pivot } = node
      const noMatch = failure('no_match', node.op)
      return (frame) => {
        const value = text(frame)
        scan(frame, value.length)
        return found(parseDateText(value, elements, pivot), noMatch)
      }
    }
    case 'formatDate': {
      const date = dateOf(compiler, node.date, node.op)
      const elements = elementsOf(node.pattern)
      const missing = failure('missing', node.op)
      return (frame) => made(frame, found(formatDateText(date(frame), elements), missing))
    }
    case 'makeDate': {
      const year = numberOf(compiler, node.year, node.op)
      const month = numberOf(compiler, node.month, node.op)
      const day = numberOf(compiler, node.day, node.op)
      return (frame) => found(makeCivilDate(year(frame), month(frame), day(frame)), outOfRange)
    }
    case 'addTime': {
      const date = dateOf(compiler, node.date, node.op)
      const amount = numberOf(compiler, node.amount, node.op)
      const { unit } = node
      return (frame) => found(addToDate(date(frame), amount(frame), unit), outOfRange)
    }
    case 'startOf':
    case 'endOf': {
      const { op, period } = node
      const date = dateOf(compiler, node.date, op)
      return mapDate(date, op, (value) =>
        op === 'startOf' ? startOfPeriod(value, period) : endOfPeriod(value, period),
      )
    }
    case 'dateDifference': {
      const from = dateOf(compiler, node.from, node.op)
      const to = dateOf(compiler, node.to, node.op)
      const { unit } = node
      return (frame) => found(differenceOf(from(frame), to(frame), unit), outOfRange)
    }
    case 'datePart': {
      const date = dateOf(compiler, node.date, node.op)
      const { part } = node
      const missing = failure('missing', node.op)
      return (frame) => found(partOf(date(frame), part), missing)
    }
    case 'fromUnix': {
      const value = numberOf(compiler, node.value, node.op)
      const unit = node.unit ?? 'seconds'
      return (frame) => found(fromUnixTime(value(frame), unit), outOfRange)
    }
    case 'atOffset': {
      const { offsetMinutes } = node
      return mapDate(dateOf(compiler, node.date, node.op), node.op, (date) => moveToOffset(date, offsetMinutes))
    }
  }
}

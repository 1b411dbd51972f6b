import type { DateReadingExpr } from '../ast.ts'
import { readDateText } from '../primitives/dates/reading/read-date.ts'
import { nthWeekdayOf, windowEndOf, windowStartOf } from '../primitives/dates/windows.ts'
import { type Compiler, dateOf, numberOf, textOf } from './compiler.ts'
import { failure, found, scan, spend, type Step } from './frame.ts'

/** Fuel of reading one date, beside that of its text. */
const READING_FUEL = 16

/** Compiles an operator on dates that `svc-recipe-2` adds. */
export function compileDateReading(compiler: Compiler, node: DateReadingExpr): Step {
  const outOfRange = failure('out_of_range', node.op)
  switch (node.op) {
    case 'readDate': {
      const text = textOf(compiler, node.text, node.op)
      const noMatch = failure('no_match', node.op)
      return (frame) => {
        const value = text(frame)
        scan(frame, value.length)
        spend(frame, READING_FUEL)
        return found(readDateText(value, node)?.date, noMatch)
      }
    }
    case 'nthWeekday': {
      const date = dateOf(compiler, node.date, node.op)
      const weekday = numberOf(compiler, node.weekday, node.op)
      const n = numberOf(compiler, node.n, node.op)
      return (frame) => found(nthWeekdayOf(date(frame), weekday(frame), n(frame)), outOfRange)
    }
    case 'windowStart':
    case 'windowEnd': {
      const { op, unit } = node
      const date = dateOf(compiler, node.date, op)
      const step = numberOf(compiler, node.step, op)
      const offset = node.offset === undefined ? () => 0 : numberOf(compiler, node.offset, op)
      const edge = op === 'windowStart' ? windowStartOf : windowEndOf
      return (frame) => found(edge(date(frame), { step: step(frame), unit, offset: offset(frame) }), outOfRange)
    }
  }
}

import { deskRows, rowsOf } from '../rows/given-rows.ts'
import { createRandom } from '../../../../core/model/random.ts'
import type { Row } from '../../../../core/compile/task.ts'

const MONTHS = ['March', 'June', 'August', 'October'] as const

/**
 * Messages to four desks with a date, an amount and a code: 96 rows. The desk is a label, amount and code are copied, the
 * date is written anew, and every third message has no code.
 */
export function messageRows(): readonly Row[] {
  return rowsOf(
    deskRows().map(({ input, output }, at) => {
      // No part of a message tells anything of another one.
      const drawn = createRandom(at, 'message')
      const month = drawn.below(MONTHS.length)
      const day = drawn.below(28)
      const amount = 10 + drawn.below(900)
      const code = `TK-${String(drawn.below(10_000)).padStart(4, '0')}`
      const hasCode = at % 3 > 0
      const text = `${String(input)}. It is ${amount} EUR on ${MONTHS[month]} ${day + 1}, 2026${hasCode ? `. Ticket ${code}` : ''}`
      const date = `2026-${['03', '06', '08', '10'][month]}-${String(day + 1).padStart(2, '0')}`
      return [text, { desk: output, amount, on: date, ...(hasCode ? { ticket: code } : {}) }] as const
    }),
  )
}

/** A leaf that answers a constant. */
export function constantLeaf(value: string | number | boolean | null, reads: readonly string[] = []) {
  return programLeaf({ op: 'literal', value }, reads)
}

/** A leaf that a program of the first version answers. */
export function programLeaf(body: object, reads: readonly string[] = []) {
  return {
    node: 'leaf',
    kind: 'program',
    by: 'program',
    reads: [...reads],
    program: { language: 'svc-recipe-1', body },
  } as const
}

import { deskRows, rowsOf } from '../../rows/given-rows.ts'
import { createRandom } from '../../../../../core/model/random.ts'
import type { Json } from '../../../../../core/kernel/json/json.ts'
import type { Row } from '../../../../../core/compile/rows/task.ts'

/**
 * Messages to four desks with a date, an amount and a code: 96 rows. The desk is a label, amount and code are copied, the
 * date is written again, and every third message has no code. `every` takes every n-th only: 2 where a test needs no more
 * than one composite, in half the time.
 */
export function messageRows(every = 1): readonly Row[] {
  const rows = deskRows().filter((_, at) => at % every === 0)
  return rowsOf(
    rows.map(({ input, output }, at) => {
      // No part of a message tells anything of another one.
      const drawn = createRandom(at, 'message')
      const month = two(1 + drawn.below(12))
      const day = two(1 + drawn.below(28))
      const amount = 10 + drawn.below(900)
      const code = `TK-${String(drawn.below(10_000)).padStart(4, '0')}`
      const hasCode = at % 3 > 0
      const text = `${textOf(input)}. It is ${amount} EUR on ${day}.${month}.2026${hasCode ? `. Ticket ${code}` : ''}`
      const date = `2026-${month}-${day}`
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

/** A value that is a text or a number, as a text. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

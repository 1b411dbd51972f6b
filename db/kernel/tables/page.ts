import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { CURSOR } from '../../../core/kernel/wire/page.ts'

/** One page of a list, newest first; `nextCursor` is null on the last one. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** Which page: at most `limit` items after the place that `cursor` names. */
export interface PageRequest {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A place in a list that is ordered by a number (a time in milliseconds, a sequence number) and then by id. */
export interface Place {
  readonly rank: number
  readonly id: string
}

/** Before everything: where a list without a cursor starts. As a time, the last second of the year 9999. */
const START: Place = { rank: 253_402_300_799_000, id: '~' }

/** The place that an opaque cursor names. Throws `invalid_cursor` for what no list has given out. */
export function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return START
  const [, rank, id] = CURSOR.exec(cursor) ?? []
  if (rank === undefined || id === undefined) {
    throw KERNEL_ERRORS.invalid_cursor('cursor: not a cursor of this list')
  }
  return { rank: Number(rank), id }
}

/** Cuts rows that were read one beyond the limit into a page. */
export function pageOf<T>(rows: readonly T[], limit: number, place: (row: T) => Place): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  if (rows.length <= limit || last === undefined) return { items, nextCursor: null }
  const { rank, id } = place(last)
  return { items, nextCursor: `${rank}.${id}` }
}

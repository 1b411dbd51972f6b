import { sql, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { CURSOR } from '../../../core/kernel/wire/page.ts'

/** One page of a list, newest first; `nextCursor` is null on the last one. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** The requested page: at most `limit` items after the position in `cursor`. */
export interface PageRequest {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A position in a list that is ordered by a number (a time in milliseconds, a sequence number) and then by id. */
export interface Place {
  readonly rank: number
  readonly id: string
}

/** Before all items: the start of a list without a cursor. As a time, the last second of the year 9999. */
const START: Place = { rank: 253_402_300_799_000, id: '~' }

/** Returns the position in an opaque cursor. Throws `invalid_cursor` for a text that is not a cursor of this service. */
export function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return START
  const [, rank, id] = CURSOR.exec(cursor) ?? []
  if (rank === undefined || id === undefined) {
    throw KERNEL_ERRORS.invalid_cursor('cursor: is not a cursor of this list')
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

/** A row of a list that is ordered by the time at which its rows were made. */
interface Made {
  readonly id: string
  readonly createdAt: Date
}

/** The place of a row in a list by the time at which its rows were made. */
export function placeByCreation({ id, createdAt }: Made): Place {
  return { rank: createdAt.getTime(), id }
}

/** Reads a page of rows by the time at which they were made, newest first. Throws `invalid_cursor`. */
export function newestFirst({ limit, cursor }: PageRequest) {
  const { rank, id } = placeOf(cursor)
  return {
    /** Orders the rows of a query, and takes those of the page and one beyond it. */
    take: <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): SelectQueryBuilder<DB, TB, Row> =>
      query
        .where(sql<SqlBool>`(created_at, id) < (${new Date(rank)}, ${id})`)
        .orderBy(sql`created_at`, 'desc')
        .orderBy(sql`id`, 'desc')
        .limit(limit + 1),
    /** Cuts the rows that were taken into the page. */
    page: <Row extends Made>(rows: readonly Row[]): Page<Row> => pageOf(rows, limit, placeByCreation),
  }
}

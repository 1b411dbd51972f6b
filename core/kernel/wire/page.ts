import { z } from 'zod'
import type { Limits } from '../limits.ts'

/** The form of a cursor: a place of at most 14 digits, written out. Clients treat it as opaque. */
export const CURSOR = /^([0-9]{1,14})\.([0-9a-z_]{1,64})$/

/** `next_cursor` of the previous page. The list refuses an invalid one with `invalid_cursor`. */
export const Cursor = z
  .string()
  .max(200)
  .meta({ description: '`next_cursor` of the previous page', override: { pattern: CURSOR.source } })

/** The query of a list under the limits in force: how many, and from where. */
export function pageOf(defaultLimit: number) {
  return ({ list_page: most }: Limits) => pageQuery(Math.min(defaultLimit, most), most)
}

/** Returns the query schema of a list with its own bound. */
export function pageQuery(defaultLimit: number, maxLimit: number) {
  return z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(maxLimit)
      .default(defaultLimit)
      .meta({ description: 'Maximum number of entries' }),
    cursor: Cursor.optional(),
  })
}

/** Cursor of the next page; null on the last one. */
export const NextCursor = z
  .string()
  .nullable()
  .meta({ description: 'The `cursor` of the next page; null on the last page' })

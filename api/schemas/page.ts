import { z } from 'zod'

/** The query of a list: how many, and from where. */
export function pageQuery(defaultLimit: number, maxLimit = 200) {
  return z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(maxLimit)
      .default(defaultLimit)
      .meta({ description: 'Most entries to answer' }),
    cursor: z.string().max(200).optional().meta({ description: '`next_cursor` of the page before' }),
  })
}

/** Where the next page starts; null on the last one. */
export const NextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Give it as `cursor` for the next page; null on the last' })

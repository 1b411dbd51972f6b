import { z } from 'zod'

/** Answer of a retired path, with its successor. */
export const RetiredAnswer = z.object({
  ok: z.literal(false),
  error: z.literal('endpoint_deprecated'),
  code: z.literal('endpoint_deprecated'),
  request_id: z.string(),
  hint: z.string(),
  redirect: z.string().meta({ description: 'Path of the replacing route' }),
  deprecated_since: z.iso.date(),
})

import { z } from 'zod'

/** One thing that was looked at. */
export const Check = z.object({
  name: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  label: z.string(),
})

import { z } from 'zod'
import type { Readiness } from './facts/readiness.ts'

/** One thing that was looked at. */
export const Check = z.object({
  name: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  label: z.string(),
})

/** The checks of a moment, field by field. */
export function presentChecks(readiness: Readiness): z.input<typeof Check>[] {
  return readiness.checks.map(({ name, ok, required, label }) => ({ name, ok, required, label }))
}

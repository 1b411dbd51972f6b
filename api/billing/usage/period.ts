import { z } from 'zod'

/** A calendar month; the running one when absent. */
export const Period = z
  .string()
  .regex(/^[0-9]{4}-(0[1-9]|1[0-2])$/, { error: 'must be a month of the form YYYY-MM' })
  .optional()
  .meta({ description: 'A calendar month (UTC). Default: the current month', example: '2026-03' })

import { z } from 'zod'

/** An e-mail address in a body. */
export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}.]+(\.[^\s@\p{Cc}.]+)+$/u, {
    error: 'must be a valid e-mail address',
  })
  .meta({ example: 'ada@example.com' })

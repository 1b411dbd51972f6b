import { z } from 'zod'

/** A text that can be stored: at least one character that is not blank, at most `max`, without U+0000. */
export function textUpTo(max: number) {
  return z
    .string()
    .max(max)
    .refine((text) => text.trim() !== '', { error: 'must not be empty' })
    .refine((text) => !text.includes('\u0000'), { error: 'must not hold the character U+0000' })
}

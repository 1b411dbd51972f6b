import { z } from 'zod'

const NOT_BLANK = /[^\s\ufeff]/
// Written out as a text: the document shows it, and other readers of patterns know no shorter form.
const STORABLE = new RegExp(String.raw`^[^\u0000]*$`)

/** A text that can be stored: at least one character that is not blank, at most `max`, without U+0000. */
export function textUpTo(max: number) {
  return z
    .string()
    .max(max)
    .regex(NOT_BLANK, { error: 'must not be empty' })
    .regex(STORABLE, { error: 'must not hold the character U+0000' })
}

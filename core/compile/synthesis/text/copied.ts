import { isJsonObject, type Json } from '../../../kernel/json/json.ts'

/** Shorter texts occur in others by chance. */
const MIN_COPIED = 3

/** Returns true for an output that is a text and occurs in a text of the input: it can be copied from there. */
export function canBeCopied(output: Json, input: Json | undefined): boolean {
  return typeof output === 'string' && output.length >= MIN_COPIED && holds(input ?? null, output)
}

function holds(value: Json, text: string): boolean {
  if (typeof value === 'string') return value.includes(text)
  if (Array.isArray(value)) return value.some((item) => holds(item, text))
  return isJsonObject(value) && Object.values(value).some((item) => holds(item, text))
}

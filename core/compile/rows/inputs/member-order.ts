import { z } from 'zod'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'

/** Names beyond these are not kept: a list is for showing, and rows are shown in any order without it. */
const MAX_MEMBERS = 200
const MAX_CHARS = 8_000

/**
 * The members of a row's input and output in the order in which they were given, such as that of a spreadsheet's columns:
 * rows are stored as canonical JSON, which sorts them. Empty for other values than objects.
 */
export const MemberOrder = z.object({ input: z.array(z.string()), output: z.array(z.string()) })
export type MemberOrder = Readonly<z.infer<typeof MemberOrder>>

/** Returns the order of the members of a row as it was given; null where it has none, or too many. */
export function memberOrderOf({ input, output }: { readonly input: Json; readonly output: Json }): MemberOrder | null {
  const order = { input: namesOf(input), output: namesOf(output) }
  const names = [...order.input, ...order.output]
  const isKept = names.length > 0 && names.length <= MAX_MEMBERS && names.join('').length <= MAX_CHARS
  return isKept ? order : null
}

/** Returns a value with its members in an order; those that the order does not name follow. */
export function inOrder<T extends Json>(value: T, names: readonly string[]): T {
  if (!isJsonObject(value)) return value
  const known = names.filter((name) => Object.hasOwn(value, name))
  return Object.fromEntries([...known, ...Object.keys(value)].map((name) => [name, value[name]])) as T
}

function namesOf(value: Json): string[] {
  return isJsonObject(value) ? Object.keys(value) : []
}

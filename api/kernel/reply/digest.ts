import type { Sha256 } from '../../../core/kernel/json/json.ts'

/** A digest that the database keeps as a text. Throws an `Error` for a text that is none: a bug. */
export function toSha256(text: string): Sha256 {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(text)?.[1]
  if (hex === undefined) throw new Error('not a SHA-256 digest')
  return `sha256:${hex}`
}

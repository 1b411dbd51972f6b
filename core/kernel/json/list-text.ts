/** A value of a list: as the columns of the database take it. */
export type ListValue = string | number | bigint | boolean | Date | Uint8Array | null | undefined

/** A list as text. */
export type ListText<T extends ListValue> = string & { readonly listOf: T }

const ESCAPED = /["\\]/
const EACH_ESCAPED = /["\\]/g

/**
 * Writes a list of values as PostgreSQL reads an array (manual, section 8.15.2), in one pass: threads write the lists of large
 * statements, so that their caller hands over a text in place of its many values.
 */
export function listText<T extends ListValue>(values: readonly T[]): ListText<T> {
  return `{${values.map(valueText).join(',')}}` as ListText<T>
}

function valueText(value: ListValue): string {
  if (typeof value === 'string') {
    return ESCAPED.test(value) ? `"${value.replaceAll(EACH_ESCAPED, String.raw`\$&`)}"` : `"${value}"`
  }
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Date) return `"${value.toISOString()}"`
  if (value instanceof Uint8Array) {
    return String.raw`\\x` + Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
  }
  return String(value)
}

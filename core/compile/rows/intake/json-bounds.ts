import { KERNEL_ERRORS, invalidField } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { IntakeBounds } from './bounds.ts'

/**
 * Checks that a parsed value is JSON within bounds and returns it as such: depth, finite numbers that JSON keeps
 * exactly (RFC 7493 §2.2: integers up to 2^53), texts without lone surrogates.
 * Throws `validation_failed` with the path of the first offender.
 */
export function checkJson(value: unknown, field: string, depth: number): Json {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed())
        throw invalidField(field, 'is not valid Unicode: a lone surrogate', KERNEL_ERRORS.invalid_encoding)
      return value
    case 'number':
      if (!Number.isFinite(value)) throw invalidField(field, 'is not a finite number')
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
        throw invalidField(field, 'is larger than 2^53 - 1: give it as text')
      return value
    case 'boolean':
      return value
    case 'object':
      return checkNested(value, field, depth)
    default:
      throw invalidField(field, 'is not a JSON value')
  }
}

function checkNested(value: object | null, field: string, depth: number): Json {
  if (value === null) return null
  if (depth <= 0) throw invalidField(field, 'is nested too deeply')
  if (Array.isArray(value)) return value.map((element: unknown, i) => checkJson(element, `${field}[${i}]`, depth - 1))
  // Built from entries, so that a member named `__proto__` stays a member.
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]: [string, unknown]) => {
      if (!member.isWellFormed())
        throw invalidField(field, 'has a member name with a lone surrogate', KERNEL_ERRORS.invalid_encoding)
      return [member, checkJson(inner, `${field}.${member}`, depth - 1)]
    }),
  )
}

/** Throws `example_too_large` when input and output together take more bytes of canonical JSON than allowed. */
export function checkSize(parts: readonly Json[], field: string, bounds: IntakeBounds): void {
  const bytes = parts.reduce<number>((sum, part) => sum + Buffer.byteLength(canonicalJson(part)), 0)
  if (bytes > bounds.exampleBytes) {
    throw invalidField(
      field,
      `takes ${bytes} bytes, at most ${bounds.exampleBytes} are allowed; shorten its texts`,
      MODEL_ERRORS.example_too_large,
    )
  }
}

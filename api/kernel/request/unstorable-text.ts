import { DomainError, KERNEL_ERRORS, type FieldProblem } from '../../../core/kernel/errors.ts'
import { fieldPath } from '../../../core/kernel/json/field-path.ts'
import { failureCode } from '../../../db/kernel/faults/failures.ts'
import type { RawInput } from './call.ts'

/** More fields than this are not named. */
const NAMED = 20

/** SQLSTATEs of a text that Postgres cannot hold: as a value, in JSON, and in the text of a statement, which it ends. */
const UNSTORABLE = new Set(['22021', '22P05', '08P01'])

/**
 * Adds the fields to an error that Postgres gave because of a text with U+0000, which it cannot hold. An id in the path
 * that holds one is as unknown as any other that cannot exist. Other errors stay as they are.
 */
export function nameUnstorableText(error: unknown, input: RawInput): unknown {
  if (!UNSTORABLE.has(failureCode(error instanceof DomainError ? error.cause : error))) return error
  if (pathsOf(input.params).length > 0) return KERNEL_ERRORS.not_found('no such thing', { cause: error })
  const fields = [...pathsOf(input.query), ...pathsOf(input.body)].slice(0, NAMED).map((path) => problemAt(path))
  const [first] = fields
  if (first === undefined) return error
  return KERNEL_ERRORS.validation_failed(`${first.field}: ${first.message}`, { details: { fields }, cause: error })
}

/**
 * Returns the known parameters of a query that hold U+0000. They are refused before the work: the answer may be a stream, which
 * has begun when Postgres refuses them.
 */
export function findUnstorable(given: unknown, known: object): readonly FieldProblem[] {
  return pathsOf(given)
    .filter(([name]) => name !== undefined && Object.hasOwn(known, name))
    .map((path) => problemAt(path))
}

function problemAt(path: readonly PropertyKey[]): FieldProblem {
  return { field: fieldPath(path, 'body'), message: 'must not hold the character U+0000' }
}

/** Returns the paths in a value at which a text or a name holds U+0000. */
function pathsOf(value: unknown): readonly (readonly PropertyKey[])[] {
  if (typeof value === 'string') return value.includes('\0') ? [[]] : []
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => pathsOf(entry).map((path) => [index, ...path]))
  }
  return Object.entries(value).flatMap(([name, member]) =>
    name.includes('\0') ? [[]] : pathsOf(member).map((path) => [name, ...path]),
  )
}

import { ACCOUNTS_ERRORS } from '../errors.ts'
import SCIMMY from 'scimmy'
import { z } from 'zod'
import type { JsonObject } from '../../kernel/json/json.ts'
import { refuseScim } from './refusal.ts'
import { requireSafeName } from './safe-input.ts'
import { ENTERPRISE_USER } from './user.ts'

const MAX_OPERATIONS = 32
const MAX_PATH_CHARS = 500
/** The library multiplies the filter of a path out: each of these may double the work. */
const MAX_ALTERNATIVES = 4
const OPERATIONS = ['add', 'remove', 'replace'] as const

const Operation = z.looseObject({
  op: z.string(),
  path: z.string().optional(),
  value: z.unknown().optional(),
})
const Patch = z.object({
  schemas: z.array(z.literal('urn:ietf:params:scim:api:messages:2.0:PatchOp')).length(1),
  Operations: z.array(z.unknown()).min(1).max(MAX_OPERATIONS),
})

/** Attributes that the library adds to every definition (RFC 7643, 3.1). */
const COMMON_ATTRIBUTES = new Set(['schemas', 'id', 'externalId', 'meta'])

/** Converts a PATCH message into the form that the library accepts. Throws `invalid_value`. */
export function readPatch(body: JsonObject) {
  const message = Patch.safeParse(structuredClone(body))
  if (!message.success) throw invalid(`the body must be a PatchOp of 1 to ${MAX_OPERATIONS} operations`)
  const { schemas, Operations } = message.data
  return { schemas, Operations: Operations.flatMap(readOperation) }
}

/** Some providers write operations with capitals, and booleans as texts. */
function readOperation(given: unknown, index: number) {
  const parsed = Operation.safeParse(given)
  const op = OPERATIONS.find((known) => known === parsed.data?.op.toLowerCase())
  if (!parsed.success || op === undefined) {
    throw invalid(`operation ${index + 1} must be add, remove or replace`)
  }
  const { path, value: givenValue } = parsed.data
  // Without a path the members of the value are paths.
  for (const one of path === undefined ? namesOf(givenValue) : [path]) requirePlainPath(one)
  if (op === 'remove') requirePlainRemovals(givenValue)
  if (path?.toLowerCase() === ENTERPRISE_USER.toLowerCase()) return extensionOperations(op, givenValue)
  const value = path?.toLowerCase() === 'active' ? readBoolean(givenValue) : withActive(givenValue)
  return [{ op, ...(path !== undefined && { path }), ...(value !== undefined && { value }) }]
}

function requirePlainPath(path: string): void {
  requireSafeName(path, 'invalidPath')
  const alternatives = path.match(/\bor\b/gi)?.length ?? 0
  if (path.length <= MAX_PATH_CHARS && alternatives <= MAX_ALTERNATIVES) return
  throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'invalidPath', 'a path holds a filter that is too long')
}

function namesOf(value: unknown): readonly string[] {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : []
}

/** The library builds a filter for values to remove, so they may hold only names and plain values. */
function requirePlainRemovals(value: unknown): void {
  const removals: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const removal of removals) {
    if (removal === null || typeof removal !== 'object') continue
    for (const [name, part] of Object.entries(removal)) {
      const isPlain = typeof part === 'string' ? !/["\\]/.test(part) : part === null || typeof part !== 'object'
      if (!isPlain || !/^[\w$]+$/.test(name)) throw invalid('values to remove must be plain values')
    }
  }
}

/** The library neither removes an extension as a whole nor bears the names of schemas inside of one. */
function extensionOperations(op: (typeof OPERATIONS)[number], given: unknown) {
  if (op === 'remove') {
    const { attributes } = SCIMMY.Schemas.EnterpriseUser.definition
    const own = attributes.filter(({ name }) => !COMMON_ATTRIBUTES.has(name))
    return own.map(({ name }) => ({ op, path: `${ENTERPRISE_USER}:${name}` }))
  }
  const { schemas: _schemas, ...value } = z.looseObject({}).catch({}).parse(given)
  return [{ op, path: ENTERPRISE_USER, value }]
}

function withActive(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !('active' in value)) return value
  return { ...value, active: readBoolean(value.active) }
}

function readBoolean(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : value
}

function invalid(message: string) {
  return refuseScim(ACCOUNTS_ERRORS.invalid_value, 'invalidSyntax', message)
}

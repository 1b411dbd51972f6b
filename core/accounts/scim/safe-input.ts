import { ACCOUNTS_ERRORS } from '../errors.ts'
import type { JsonObject } from '../../kernel/json/json.ts'
import { refuseScim, type ScimType } from './refusal.ts'

/**
 * Names that every object inherits, in lower case: the library matches a name whatever the case of its first letter.
 */
const SHARED = new Set(['prototype', ...Object.getOwnPropertyNames(Object.prototype)].map((name) => name.toLowerCase()))

/** Bounds on a body: the library takes milliseconds for each list element and blocks other requests meanwhile. */
const BOUNDS = {
  Users: { chars: 32_768, elements: 32 },
  Groups: { chars: 131_072, elements: 256 },
} as const

/**
 * Refuses names that lead to the prototypes shared by all objects of the process: the library creates objects from the
 * names that it receives and writes into the objects that it finds. A name is any text between dots, colons, commas and
 * brackets.
 */
export function requireSafeName(name: string, scimType: ScimType): void {
  if (!name.split(/[^\w$]+/).some((part) => SHARED.has(part.toLowerCase()))) return
  throw refuseScim(ACCOUNTS_ERRORS.invalid_value, scimType, `${name.slice(0, 100)} is not an attribute name`)
}

/** The same for the names of a body's members, at any depth, and its size. Throws `invalid_value`. */
export function requireSafeBody(endpoint: keyof typeof BOUNDS, body: JsonObject): void {
  const { chars, elements } = BOUNDS[endpoint]
  if (JSON.stringify(body).length > chars)
    throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'tooMany', `at most ${chars} characters`)
  requireSafeMembers(body, elements)
}

function requireSafeMembers(value: unknown, mostElements: number): void {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value) && value.length > mostElements) {
    throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'tooMany', `a list holds at most ${mostElements} elements`)
  }
  for (const [name, part] of Object.entries(value)) {
    if (!Array.isArray(value)) requireSafeName(name, 'invalidValue')
    requireSafeMembers(part, mostElements)
  }
}

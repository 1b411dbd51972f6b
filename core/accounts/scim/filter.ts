import { ACCOUNTS_ERRORS } from '../errors.ts'
import { filter as testerOf, parse, type Compare, type Filter } from 'scim2-parse-filter'
import type { ScimKey } from './directory.ts'
import { refuseScim } from './refusal.ts'
import { requireSafeName } from './safe-input.ts'

const MAX_FILTER_CHARS = 1000
/** Case-sensitive attributes (RFC 7643, 3.1 and 4), and attributes that are not user text. */
const EXACT = new Set(['id', 'externalid', 'meta'])
/** Lists whose elements are compared by their `value` when the filter names no part of them (RFC 7644, 3.4.2.2). */
const LISTS = new Set(['emails', 'phonenumbers', 'members', 'groups'])
const BOOLEANS = new Set(['active', 'primary'])
/** The core schemas' names before an attribute's. */
export const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i
const KEYS: readonly ScimKey[] = ['id', 'userName', 'externalId', 'displayName']

/** A filter that was read. */
export interface ScimFilter {
  /** The one comparison that it is, if a store can make it by itself. */
  readonly equals: { readonly attribute: ScimKey; readonly value: string } | null
  /** Returns true when the filter matches the resource. */
  matches(resource: object): boolean
}

/**
 * Parses a filter (RFC 7644, 3.4.2.2). It is evaluated as written, so that its cost is linear in its length. The SCIM
 * library expands filters into products, so no caller's filter is passed to it. Throws `invalid_value`.
 */
export function readFilter(text: string): ScimFilter {
  if (text.length > MAX_FILTER_CHARS) throw invalidFilter(`at most ${MAX_FILTER_CHARS} characters`)
  let parsed: Filter
  try {
    parsed = plain(parse(text))
  } catch (error) {
    throw invalidFilter(error instanceof Error ? error.message : 'not a filter')
  }
  const test = testerOf(lowered(parsed))
  return { equals: equalityOf(parsed), matches: (resource) => test(lower(resource)) }
}

function invalidFilter(message: string) {
  return refuseScim(ACCOUNTS_ERRORS.invalid_value, 'invalidFilter', `filter: ${message}`)
}

/** Removes the core schemas' prefixes and expands shorthands. Throws for an unknown operator. */
function plain(filter: Filter): Filter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, filters: filter.filters.map(plain) }
    case 'not':
      return { op: 'not', filter: plain(filter.filter) }
    case '[]':
      return { op: '[]', attrPath: plainPath(filter.attrPath), valFilter: plain(filter.valFilter) }
    case 'pr':
      return { op: 'pr', attrPath: plainPath(filter.attrPath) }
    case 'ne':
      // An attribute that is absent is not equal either.
      return { op: 'not', filter: plain({ ...filter, op: 'eq' }) }
    case 'eq':
    case 'co':
    case 'sw':
    case 'ew':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le': {
      const path = plainPath(filter.attrPath)
      const attrPath = LISTS.has(path.toLowerCase()) ? `${path}.value` : path
      return { op: filter.op, attrPath, compValue: comparable(attrPath, filter.compValue) }
    }
    default:
      throw new Error('unknown operator')
  }
}

function plainPath(path: string): string {
  requireSafeName(path, 'invalidFilter')
  return path.replace(CORE_SCHEMA, '')
}

/** Some providers write booleans as texts. */
function comparable(path: string, value: Compare['compValue']): Compare['compValue'] {
  const isBoolean = BOOLEANS.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
  const text = isBoolean && typeof value === 'string' ? value.toLowerCase() : undefined
  return text === 'true' ? true : text === 'false' ? false : value
}

function equalityOf(filter: Filter): ScimFilter['equals'] {
  if (filter.op !== 'eq' || typeof filter.compValue !== 'string') return null
  const attribute = KEYS.find((key) => key.toLowerCase() === filter.attrPath.toLowerCase())
  return attribute === undefined ? null : { attribute, value: filter.compValue }
}

/** RFC 7643 compares names and addresses case-insensitively, so both sides are lower-cased. */
function lowered(filter: Filter): Filter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { ...filter, filters: filter.filters.map(lowered) }
    case 'not':
      return { ...filter, filter: lowered(filter.filter) }
    case '[]':
      return { ...filter, valFilter: lowered(filter.valFilter) }
    case 'pr':
      return filter
    default: {
      const { attrPath, compValue } = filter
      const [root = ''] = attrPath.toLowerCase().split('.', 1)
      return typeof compValue !== 'string' || EXACT.has(root)
        ? filter
        : { ...filter, compValue: compValue.toLowerCase() }
    }
  }
}

function lower(value: unknown): unknown {
  if (typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return value.map(lower)
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, EXACT.has(name.toLowerCase()) ? part : lower(part)] as const),
  )
}

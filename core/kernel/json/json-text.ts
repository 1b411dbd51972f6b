import { KERNEL_ERRORS, invalidField, type DomainError } from '../errors.ts'
import { fieldPath } from './field-path.ts'
import { endOfText, findJsonFault } from './json-fault.ts'
import type { Json } from './json.ts'
import { storableJson } from './storable.ts'

interface Problem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

interface Shape {
  readonly depth: number
  readonly members: number
  /** Separators and openings: at least one for each member and entry but the first of all. */
  readonly parts: number
}

const QUOTE = 0x22
/** Half of a surrogate pair as an escape. */
const SURROGATE = /\\u[dD][89a-fA-F]/
/** Members and entries of a text for which no bound is given. */
const MOST_PARTS = 1_000_000

/**
 * Parses external JSON more strictly than `JSON.parse`, so that the stored value is the one that was sent (RFC 7493,
 * I-JSON). Before parsing, it refuses deep nesting and more than `maxParts` members, entries and containers: tiny ones
 * take far more memory and time than their bytes suggest. It also refuses repeated member names, the member name
 * `__proto__`, lone surrogates, and numbers that a double cannot hold (`1e999`, integers beyond 2^53 that would be
 * rounded). `root` is the start of field paths: `body`, `line[3]`. Throws a `DomainError` with the field: `invalid_json`
 * for text that is not JSON or repeats a member name, `validation_failed` for the rest.
 */
export function parseJsonText(text: string, maxDepth: number, root = 'body', maxParts = MOST_PARTS): Json {
  return parseBounded(text, { maxDepth, maxParts, root, isForeign: false })
}

/**
 * Parses JSON that another tool wrote, within the same bounds: its numbers are rounded to doubles, and halves of surrogate pairs become
 * U+FFFD. Refuses what `parseJsonText` refuses otherwise, with the same errors.
 */
export function parseForeignJson(text: string, maxDepth: number, root: string, maxParts: number): Json {
  const value = parseBounded(text, { maxDepth, maxParts, root, isForeign: true })
  return typeof value === 'object' && value !== null && SURROGATE.test(text) ? JSON.parse(storableJson(value)) : value
}

/** Deepest value in a text that recursion over it bears. */
export const MOST_INNER_DEPTH = 500

/** Returns true for a text of JSON that recursion over it does not bear: it nests deeper than 500 levels. */
export function nestsTooDeep(text: string): boolean {
  return scanShape(text, MOST_INNER_DEPTH, Infinity).depth > MOST_INNER_DEPTH
}

/** Returns the JSON value in a text as `JSON.parse` reads it; undefined for a text that is none or nests too deep. */
export function valueIn(text: string): Json | undefined {
  if (nestsTooDeep(text)) return undefined
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

interface Parsing {
  readonly maxDepth: number
  readonly maxParts: number
  readonly root: string
  /** True where numbers and texts are taken as `JSON.parse` reads them. */
  readonly isForeign: boolean
}

function parseBounded(text: string, { maxDepth, maxParts, root, isForeign }: Parsing): Json {
  const shape = scanShape(text, maxDepth, maxParts)
  if (shape.depth > maxDepth) throw invalidField(root, `nests deeper than ${maxDepth} levels; flatten it`)
  if (shape.parts > maxParts) throw invalidField(root, `holds more than ${maxParts} members and entries`)
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw faultError(text, { root, isForeign, cause })
  }
  const counter = { members: 0, hasUnsafeInteger: false, isForeign }
  const problem = findProblem(value, counter)
  if (problem) throw invalidField(fieldPath(problem.path, root), problem.message)
  if (counter.members !== shape.members) throw faultError(text, { root, isForeign })
  if (counter.hasUnsafeInteger && findJsonFault(text)) throw faultError(text, { root, isForeign })
  return value
}

/**
 * Nesting depth and numbers of members and parts, counted outside of texts, up to the first bound that is passed. Right
 * for valid JSON, harmless for the rest.
 */
function scanShape(text: string, maxDepth: number, maxParts: number): Shape {
  let depth = 0
  let deepest = 0
  let members = 0
  let parts = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfText(text, i)
    else if (code === 0x7b || code === 0x5b) {
      depth++
      parts++
      if (depth > deepest) deepest = depth
      if (deepest > maxDepth || parts > maxParts) break
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x3a) members++
    else if (code === 0x2c && ++parts > maxParts) break
  }
  return { depth: deepest, members, parts }
}

interface Counter {
  members: number
  hasUnsafeInteger: boolean
  readonly isForeign: boolean
}

/** Depth-bounded by the scan that precedes it. */
function findProblem(value: Json, counter: Counter): Problem | undefined {
  switch (typeof value) {
    case 'string':
      return textProblem(value, counter)
    case 'number':
      if (counter.isForeign) return undefined
      if (!Number.isFinite(value))
        return { path: [], message: 'is a number too large for a double; write it as a text' }
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) counter.hasUnsafeInteger = true
      return undefined
    case 'object':
      if (value === null) return undefined
      if (isList(value)) {
        for (const [index, item] of value.entries()) {
          const problem = findProblem(item, counter)
          if (problem) return { path: [index, ...problem.path], message: problem.message }
        }
        return undefined
      }
      for (const [name, item] of Object.entries(value)) {
        counter.members++
        if (name === '__proto__') return { path: [], message: 'has a member named __proto__, which is not allowed' }
        const problem = textProblem(name, counter) ?? findProblem(item, counter)
        if (problem) return { path: [name, ...problem.path], message: problem.message }
      }
      return undefined
    default:
      return undefined
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function textProblem(text: string, { isForeign }: Counter): Problem | undefined {
  if (!isForeign && !text.isWellFormed())
    return { path: [], message: 'holds half of a surrogate pair (\\ud800 to \\udfff); write the whole character' }
  return undefined
}

function faultError(
  text: string,
  { root, isForeign, cause }: Pick<Parsing, 'root' | 'isForeign'> & { readonly cause?: unknown },
): DomainError {
  const fault = findJsonFault(text, isForeign)
  if (fault?.kind === 'rounded') {
    return invalidField(fieldPath(fault.path, root), 'is an integer that a double cannot hold; send it as a text')
  }
  if (fault?.kind === 'repeated') {
    return invalidField(fieldPath(fault.path, root), 'is given twice in one object', KERNEL_ERRORS.invalid_json)
  }
  // A fault that only one of the two readers sees has no place.
  const place = fault?.kind === 'syntax' ? ` at line ${fault.line}, column ${fault.column}` : ''
  const message = `is not valid JSON${place}`
  return invalidField(root, message, KERNEL_ERRORS.invalid_json, cause)
}

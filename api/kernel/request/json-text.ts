import { DomainError, invalidField } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { fieldPath } from './field-path.ts'

interface Problem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

interface Shape {
  readonly depth: number
  readonly members: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Parses a request body. Stricter than `JSON.parse`, so that what is stored is what was sent (RFC 7493, I-JSON):
 * refuses deep nesting before parsing it, repeated member names, the member name `__proto__`, numbers that a double
 * cannot hold (`1e999`, integers beyond 2^53 that would be rounded) and lone surrogates. Throws a `DomainError`:
 * `invalid_json` for text that is not JSON, `validation_failed` with the field for the rest.
 */
export function parseJsonText(text: string, maxDepth: number): Json {
  const shape = scanShape(text)
  if (shape.depth > maxDepth) {
    throw new DomainError('validation_failed', `the body nests deeper than ${maxDepth} levels`, {
      details: { fields: [{ field: 'body', message: `nests deeper than ${maxDepth} levels` }] },
    })
  }
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new DomainError('invalid_json', 'the body is not valid JSON', { cause: error })
  }
  const counter = { members: 0, hasUnsafeInteger: false }
  const problem = findProblem(value, counter)
  if (problem) throw fieldError(problem)
  if (counter.members !== shape.members) throw repeatedMember(text)
  if (counter.hasUnsafeInteger) refuseRoundedIntegers(text)
  return value
}

/** Nesting depth and number of members, counted outside of texts. Right for valid JSON, harmless for the rest. */
function scanShape(text: string): Shape {
  let depth = 0
  let deepest = 0
  let members = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfText(text, i)
    else if (code === 0x7b || code === 0x5b) {
      depth++
      if (depth > deepest) deepest = depth
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x3a) members++
  }
  return { depth: deepest, members }
}

/** The index of the quote that closes the text opened at `start`, or the end of the input. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

/** Depth-bounded by the scan that precedes it. */
function findProblem(value: Json, counter: { members: number; hasUnsafeInteger: boolean }): Problem | undefined {
  switch (typeof value) {
    case 'string':
      return textProblem(value)
    case 'number':
      if (!Number.isFinite(value)) return { path: [], message: 'is a number too large for a double' }
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
        const problem = textProblem(name) ?? findProblem(item, counter)
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

function textProblem(text: string): Problem | undefined {
  if (!text.isWellFormed()) return { path: [], message: 'holds half of a surrogate pair' }
  return undefined
}

function fieldError(problem: Problem): DomainError {
  return invalidField(fieldPath(problem.path, 'body'), problem.message)
}

/** Slow path: names the first member that an object has twice. */
function repeatedMember(text: string): DomainError {
  const seen: (Set<string> | undefined)[] = []
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x7b) seen.push(new Set())
    else if (code === 0x5b) seen.push(undefined)
    else if (code === 0x7d || code === 0x5d) seen.pop()
    else if (code === QUOTE) {
      const end = endOfText(text, i)
      const isName = /^\s*:/.test(text.slice(end + 1, end + 100))
      const names = seen.at(-1)
      if (isName && names) {
        const name = String(JSON.parse(text.slice(i, end + 1)))
        if (names.has(name)) return invalidField(name, 'is given twice in one object', 'invalid_json')
        names.add(name)
      }
      i = end
    }
  }
  return new DomainError('invalid_json', 'an object has two members of one name')
}

/**
 * Slow path, only when an integer beyond 2^53 is present: refuses those that would come out with other digits than they
 * came in with.
 */
function refuseRoundedIntegers(text: string): void {
  JSON.parse(text, (name: string, value: unknown, ...[context]: readonly { readonly source?: string }[]) => {
    const source = context?.source ?? ''
    if (typeof value === 'number' && /^-?\d+$/.test(source) && !keepsDigits(source, value)) {
      throw invalidField(name || 'body', 'is an integer that a double cannot hold; send it as a text')
    }
    return value
  })
}

/** Below 1e21 JavaScript writes an integer in digits, and what it writes is what it will be sent back as. */
function keepsDigits(source: string, value: number): boolean {
  return String(value) === source || BigInt(source) === BigInt(value)
}

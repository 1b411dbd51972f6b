import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { exprJson, type Expr, LANGUAGE, LANGUAGE_2, type Language } from './ast.ts'
import { CHAR_SET, type Fields, type FieldSpec } from './operators/fields.ts'
import { findPattern } from './operators/patterns.ts'
import { findPosition } from './operators/positions.ts'
import { findOperator } from './operators/table.ts'

/** The versions of the language that are read, oldest first. Each holds all of the one before. */
export const LANGUAGES: readonly Language[] = [LANGUAGE, LANGUAGE_2]

/** True for a version that is read. */
export function isLanguage(value: Json | undefined): value is Language {
  return value === LANGUAGE || value === LANGUAGE_2
}

/**
 * The first operator, field or name of a node that the first version does not have. Constants and unknown nodes are not
 * looked into.
 */
export function addedSince2(value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined
  const { op } = value
  const entry = typeof op === 'string' ? findOperator(op) : undefined
  if (typeof op === 'string' && entry?.since === LANGUAGE_2) return op
  return addedInFields(value, entry?.fields ?? {})
}

function addedInFields(node: JsonObject, fields: Fields): string | undefined {
  for (const [name, spec] of Object.entries(fields)) {
    const value = Object.hasOwn(node, name) ? node[name] : undefined
    if (value === undefined) continue
    const found = spec.since === LANGUAGE_2 ? name : addedIn(value, spec)
    if (found !== undefined) return found
  }
  return undefined
}

function firstOf(values: Json, find: (value: Json) => string | undefined): string | undefined {
  if (!Array.isArray(values)) return undefined
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}

function addedIn(value: Json, spec: FieldSpec): string | undefined {
  const within = (node: Json, fields: Fields | undefined) =>
    isJsonObject(node) ? addedInFields(node, fields ?? {}) : undefined
  switch (spec.kind) {
    case 'expr':
      return addedSince2(value)
    case 'exprs':
      return firstOf(value, addedSince2)
    case 'records':
      return firstOf(value, (record) => within(record, spec.fields))
    case 'pos':
      return within(value, findPosition(value)?.fields)
    case 'pattern':
      return within(value, findPattern(value)?.fields)
    case 'charSet':
      return within(value, CHAR_SET)
    case 'choice':
    case 'strings':
      return firstOf(Array.isArray(value) ? value : [value], (name) =>
        typeof name === 'string' && spec.newer?.includes(name) === true ? name : undefined,
      )
    default:
      return undefined
  }
}

/** The oldest version that has everything an expression uses: other programs keep their identity. */
export function languageOf(body: Expr): Language {
  return languageOfJson(exprJson(body))
}

/** `languageOf` of an expression that has not been checked. */
export function languageOfJson(body: Json): Language {
  return addedSince2(body) === undefined ? LANGUAGE : LANGUAGE_2
}

import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { exprJson, type Expr, LANGUAGE, LANGUAGE_2, type Language } from './ast.ts'
import { findOperator } from './operators/table.ts'

/** The versions of the language that are read, oldest first. Each holds all of the one before. */
export const LANGUAGES: readonly Language[] = [LANGUAGE, LANGUAGE_2]

/** True for a version that is read. */
export function isLanguage(value: Json | undefined): value is Language {
  return value === LANGUAGE || value === LANGUAGE_2
}

/** The first operator of a node that the first version does not have; constants are not looked into. */
export function operatorSince2(value: Json): string | undefined {
  if (Array.isArray(value)) return firstOf(value)
  if (!isJsonObject(value)) return undefined
  const { op } = value
  if (typeof op === 'string' && findOperator(op)?.since === LANGUAGE_2) return op
  return op === 'literal' ? undefined : firstOf(Object.values(op === 'lookup' ? withoutCases(value) : value))
}

function firstOf(values: readonly Json[]): string | undefined {
  for (const value of values) {
    const found = operatorSince2(value)
    if (found !== undefined) return found
  }
  return undefined
}

function withoutCases({ cases: _constants, ...node }: JsonObject): JsonObject {
  return node
}

/** The oldest version that has every operator of an expression: programs without new operators keep their identity. */
export function languageOf(body: Expr): Language {
  return languageOfJson(exprJson(body))
}

/** `languageOf` of an expression that has not been checked. */
export function languageOfJson(body: Json): Language {
  return operatorSince2(body) === undefined ? LANGUAGE : LANGUAGE_2
}

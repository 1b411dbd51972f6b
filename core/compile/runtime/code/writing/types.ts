import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { type Expr, exprJson } from '../../../language/ast.ts'
import { findOperator } from '../../../language/operators/table.ts'
import { JSON_VALUE, type TypeSet, typeSetOf } from '../../../language/value-types.ts'

/** Types of the names in scope. */
export type TypesInScope = (name: string) => TypeSet

/** The types that the answer of an expression may have, as the checker derives them. */
export function typesOf(node: Json | undefined, inScope: TypesInScope): TypeSet {
  if (!isJsonObject(node) || typeof node['op'] !== 'string') return JSON_VALUE
  const entry = findOperator(node['op'])
  if (entry === undefined) return JSON_VALUE
  if (entry.narrows === 'constant') return typeSetOf(node['value'] ?? null)
  if (entry.narrows === 'binding') return typeof node['name'] === 'string' ? inScope(node['name']) : JSON_VALUE
  if (node['op'] === 'lookup') return typesOfLookup(node, inScope)
  if (typeof entry.result === 'number') return entry.result
  return entry.result.reduce<TypeSet>((union, field) => union | typesOfField(node[field], inScope, node, field), 0)
}

function typesOfLookup({ cases, default: otherwise }: JsonObject, inScope: TypesInScope): TypeSet {
  const values = Array.isArray(cases)
    ? cases.map((entry) => (isJsonObject(entry) ? (entry['value'] ?? null) : null))
    : []
  const ofCases = values.reduce<TypeSet>((union, value) => union | typeSetOf(value), 0)
  return otherwise === undefined ? ofCases : ofCases | typesOf(otherwise, inScope)
}

function typesOfField(
  value: Json | undefined,
  inScope: TypesInScope,
  node: { readonly [name: string]: Json },
  field: string,
): TypeSet {
  const inner: TypesInScope =
    node['op'] === 'let' && field === 'in'
      ? (name) => (name === node['name'] ? typesOf(node['value'], inScope) : inScope(name))
      : inScope
  if (!Array.isArray(value)) return typesOf(value, inner)
  return value.reduce<TypeSet>((union, item) => {
    const expr = isJsonObject(item) && !('op' in item) ? item['then'] : item
    return union | typesOf(expr, inner)
  }, 0)
}

/** An expression as the JSON it is. */
export function asJson(node: Expr): Json {
  return exprJson(node)
}

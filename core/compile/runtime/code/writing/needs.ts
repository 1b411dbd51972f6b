import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import type { Fields, FieldSpec } from '../../../language/operators/fields.ts'
import { findPattern } from '../../../language/operators/patterns.ts'
import { findPosition } from '../../../language/operators/positions.ts'
import { findOperator } from '../../../language/operators/table.ts'
import { ANY, JSON_VALUE, LIST, OBJECT, type TypeSet } from '../../../language/value-types.ts'

/**
 * Parts of the input that every answer needs, with the types that they must have. A key is the JSON of the member names
 * that lead to the part; `[]` is the whole input. The order is that of first use.
 */
export type Needs = ReadonlyMap<string, TypeSet>

/** The member names that lead from the input to what the expression reads; undefined for other expressions. */
export function inputPath(node: Json | undefined): readonly string[] | undefined {
  if (!isJsonObject(node)) return undefined
  if (node['op'] === 'input') return []
  if (node['op'] !== 'field' && node['op'] !== 'path') return undefined
  const base = inputPath(node['of'])
  const steps = node['op'] === 'field' ? [node['name']] : node['steps']
  if (base === undefined || !Array.isArray(steps)) return undefined
  return steps.every((step) => typeof step === 'string') ? [...base, ...steps] : undefined
}

/** Returns what a program needs of its input whatever way it takes. */
export function needsOf(body: Json): Needs {
  const needs = new Map<string, TypeSet>()
  collect(body, JSON_VALUE, needs)
  return needs
}

function add(needs: Map<string, TypeSet>, key: string, types: TypeSet): void {
  needs.set(key, (needs.get(key) ?? ANY) & types)
}

/** The needs of several alternatives: a part that all need has a type that one of them takes. */
function addCommon(needs: Map<string, TypeSet>, alternatives: readonly (readonly [Json | undefined, TypeSet])[]): void {
  const all = alternatives.map(([node, accepts]) => {
    const own = new Map<string, TypeSet>()
    collect(node, accepts, own)
    return own
  })
  for (const [key] of all[0] ?? []) {
    if (!all.every((own) => own.has(key))) continue
    add(
      needs,
      key,
      all.reduce<TypeSet>((union, own) => union | (own.get(key) ?? 0), 0),
    )
  }
}

function collect(node: Json | undefined, accepts: TypeSet, needs: Map<string, TypeSet>): void {
  if (!isJsonObject(node) || typeof node['op'] !== 'string') return
  const path = inputPath(node)
  if (path !== undefined) {
    for (let length = 0; length < path.length; length++) add(needs, JSON.stringify(path.slice(0, length)), OBJECT)
    add(needs, JSON.stringify(path), accepts & JSON_VALUE)
    return
  }
  const entry = findOperator(node['op'])
  if (entry === undefined) return
  const listed = Array.isArray(node['of']) ? node['of'] : []
  switch (node['op']) {
    case 'if':
      collect(node['cond'], ANY, needs)
      addCommon(needs, [
        [node['then'], accepts],
        [node['else'], accepts],
      ])
      return
    case 'switch':
      return
    case 'lookup':
      collect(node['key'], JSON_VALUE, needs)
      return
    case 'and':
    case 'or':
      collect(listed[0], ANY, needs)
      return
    case 'coalesce':
    case 'orElse':
      addCommon(
        needs,
        listed.map((alternative) => [alternative, ANY]),
      )
      return
    case 'can':
      return
    case 'path':
    case 'field':
      collect(node['of'], OBJECT | LIST, needs)
      return
    case 'let':
      collect(node['value'], ANY, needs)
      collect(node['in'], accepts, needs)
      return
    case 'object':
      for (const member of Array.isArray(node['members']) ? node['members'] : [])
        if (isJsonObject(member) && member['optional'] !== true) collect(member['value'], JSON_VALUE, needs)
      return
    default:
      collectFields(node, entry.fields, needs)
  }
}

function collectFields(node: JsonObject, fields: Fields, needs: Map<string, TypeSet>): void {
  for (const [name, spec] of Object.entries(fields)) {
    const value = node[name]
    if (value !== undefined) collectField(value, spec, needs)
  }
}

function collectField(value: Json, spec: FieldSpec, needs: Map<string, TypeSet>): void {
  if (spec.kind === 'expr') {
    if (spec.binds === undefined) collect(value, spec.takes ?? spec.accepts, needs)
  } else if (spec.kind === 'exprs') {
    for (const item of Array.isArray(value) ? value : []) collect(item, spec.accepts, needs)
  } else if (spec.kind === 'pos' && isJsonObject(value)) {
    collectFields(value, findPosition(value)?.fields ?? {}, needs)
  } else if (spec.kind === 'pattern' && isJsonObject(value)) {
    collectFields(value, findPattern(value)?.fields ?? {}, needs)
  }
}

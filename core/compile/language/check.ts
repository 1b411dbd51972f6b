import { invalidField } from '../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { AnyOperator } from './operators/entry.ts'
import { CHAR_SET, type Fields, type FieldSpec, MAX_FIELD_ITEMS } from './operators/fields.ts'
import { PATTERNS } from './operators/patterns.ts'
import { POSITIONS } from './operators/positions.ts'
import { findOperator } from './operators/table.ts'
import { isReadable, readDatePattern } from './primitives/dates/date-pattern.ts'
import { compileRegex } from './primitives/text/regex.ts'
import { RegexSyntaxError } from './primitives/text/regex-syntax.ts'
import { isBoundedJson, sizeOfJson } from './primitives/values/json-values.ts'
import { JSON_VALUE, type TypeSet, typeSetName, typeSetOf } from './value-types.ts'

/** Most expressions, positions and patterns in a program. */
export const MAX_PROGRAM_NODES = 4096
/** Deepest nesting of expressions, positions and patterns. */
export const MAX_PROGRAM_DEPTH = 64
/** Most units of text and constants (see `sizeOfJson`) in a program. */
export const MAX_PROGRAM_SIZE = 262_144

const NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/

/** Types of the names in scope. */
type Scope = ReadonlyMap<string, TypeSet>

/** Facts of a checked expression. */
export interface CheckedExpr {
  /** The types its answers may have. */
  readonly types: TypeSet
  readonly nodes: number
  readonly size: number
}

/** A program that has been checked: shape, limits and types in one walk over the JSON. */
class Checker {
  nodes = 0
  size = 0

  expr(value: Json | undefined, path: string, depth: number, scope: Scope): TypeSet {
    const { node, tag } = this.#node(value, path, depth, 'op')
    const spec = findOperator(tag)
    if (spec === undefined) throw invalidField(`${path}.op`, `unknown operator ${JSON.stringify(tag)}`)
    const types = this.#fields(node, spec.fields, path, depth, scope, 'op')
    return this.#resultOf(node, spec, types, path, scope)
  }

  #node(value: Json | undefined, path: string, depth: number, tagName: string): { node: JsonObject; tag: string } {
    if (!isJsonObject(value)) throw invalidField(path, 'must be an object')
    if (depth > MAX_PROGRAM_DEPTH) throw invalidField(path, `nested deeper than ${MAX_PROGRAM_DEPTH}`)
    if (++this.nodes > MAX_PROGRAM_NODES) throw invalidField(path, `more than ${MAX_PROGRAM_NODES} nodes`)
    const tag = Object.hasOwn(value, tagName) ? value[tagName] : undefined
    if (typeof tag !== 'string') throw invalidField(`${path}.${tagName}`, 'must be a text')
    return { node: value, tag }
  }

  #tagged(value: Json | undefined, path: string, depth: number, scope: Scope, kind: 'pos' | 'pattern'): void {
    const tagName = kind === 'pos' ? 'op' : 'kind'
    const table: Readonly<Record<string, { readonly fields: Fields }>> = kind === 'pos' ? POSITIONS : PATTERNS
    const { node, tag } = this.#node(value, path, depth, tagName)
    const fields = Object.hasOwn(table, tag) ? table[tag]?.fields : undefined
    if (fields === undefined) throw invalidField(`${path}.${tagName}`, `unknown ${kind} ${JSON.stringify(tag)}`)
    this.#fields(node, fields, path, depth, scope, tagName)
  }

  /** Checks every field; returns the types of the expression fields. */
  #fields(
    node: JsonObject,
    fields: Fields,
    path: string,
    depth: number,
    scope: Scope,
    tagName?: string,
  ): Map<string, TypeSet> {
    for (const given of Object.keys(node)) {
      if (given !== tagName && !Object.hasOwn(fields, given)) throw invalidField(`${path}.${given}`, 'unknown field')
    }
    const types = new Map<string, TypeSet>()
    for (const [name, spec] of Object.entries(fields)) {
      const value = Object.hasOwn(node, name) ? node[name] : undefined
      if (value === undefined && spec.optional === true) continue
      if (value === undefined) throw invalidField(`${path}.${name}`, 'is missing')
      const inner = spec.kind === 'expr' && spec.binds !== undefined ? bind(node, spec.binds, types, scope) : scope
      types.set(name, this.#field(value, spec, `${path}.${name}`, depth, inner))
    }
    return types
  }

  #field(value: Json, spec: FieldSpec, path: string, depth: number, scope: Scope): TypeSet {
    switch (spec.kind) {
      case 'expr':
        return this.#typed(value, spec.accepts, path, depth, scope)
      case 'exprs': {
        const items = listOf(value, path, spec.min)
        return items.reduce<TypeSet>(
          (types, item, i) => types | this.#typed(item, spec.accepts, `${path}[${i}]`, depth, scope),
          0,
        )
      }
      case 'records': {
        const items = listOf(value, path, spec.min)
        let types: TypeSet = 0
        for (const [i, item] of items.entries()) {
          if (!isJsonObject(item)) throw invalidField(`${path}[${i}]`, 'must be an object')
          types |= this.#fields(item, spec.fields, `${path}[${i}]`, depth, scope).get('then') ?? 0
        }
        return types
      }
      case 'pos':
      case 'pattern':
        this.#tagged(value, path, depth + 1, scope, spec.kind)
        return 0
      case 'charSet':
        if (!isJsonObject(value)) throw invalidField(path, 'must be an object')
        this.#fields(value, CHAR_SET, path, depth, scope)
        return 0
      case 'json':
      case 'scalar':
        if (!isBoundedJson(value)) throw invalidField(path, 'must be a JSON value of bounded depth')
        if (spec.kind === 'scalar' && typeof value === 'object' && value !== null) {
          throw invalidField(path, 'must be null, a boolean, a number or a text')
        }
        this.#grow(sizeOfJson(value, MAX_PROGRAM_SIZE), path)
        return typeSetOf(value)
      default:
        checkPlainField(value, spec, path)
        this.#grow(sizeOfJson(value, MAX_PROGRAM_SIZE), path)
        return 0
    }
  }

  #typed(value: Json, accepts: TypeSet, path: string, depth: number, scope: Scope): TypeSet {
    const types = this.expr(value, path, depth + 1, scope)
    if ((types & accepts) === 0) {
      throw invalidField(path, `is ${typeSetName(types)} where ${typeSetName(accepts)} is needed`)
    }
    return types
  }

  #grow(size: number, path: string): void {
    this.size += size
    if (this.size > MAX_PROGRAM_SIZE) throw invalidField(path, `the program is larger than ${MAX_PROGRAM_SIZE}`)
  }

  #resultOf(
    node: JsonObject,
    spec: AnyOperator,
    types: ReadonlyMap<string, TypeSet>,
    path: string,
    scope: Scope,
  ): TypeSet {
    if (spec.narrows === 'constant') return types.get('value') ?? JSON_VALUE
    if (spec.narrows === 'binding') {
      const bound = typeof node.name === 'string' ? scope.get(node.name) : undefined
      if (bound === undefined) throw invalidField(`${path}.name`, `nothing is bound to ${JSON.stringify(node.name)}`)
      return bound
    }
    for (const [name, field] of Object.entries(spec.fields)) {
      if (field.kind === 'pattern' && field.group !== undefined) checkGroup(node, name, field.group, path)
    }
    if (typeof spec.result === 'number') return spec.result
    return spec.result.reduce<TypeSet>((union, name) => union | (types.get(name) ?? 0), 0)
  }
}

/** The scope inside the field: `let` binds the type of its value, lists bind an item of any JSON type. */
function bind(node: JsonObject, binds: string, types: ReadonlyMap<string, TypeSet>, scope: Scope): Scope {
  const name = node[binds]
  return typeof name === 'string' ? new Map(scope).set(name, types.get('value') ?? JSON_VALUE) : scope
}

function listOf(value: Json, path: string, min: number): readonly Json[] {
  if (!Array.isArray(value)) throw invalidField(path, 'must be a list')
  if (value.length < min) throw invalidField(path, `needs at least ${min} item${min === 1 ? '' : 's'}`)
  if (value.length > MAX_FIELD_ITEMS) throw invalidField(path, `more than ${MAX_FIELD_ITEMS} items`)
  return value
}

function checkText(value: Json, path: string, min: number, max: number): string {
  if (typeof value !== 'string' || !value.isWellFormed()) throw invalidField(path, 'must be a text')
  if (value.length < min || value.length > max) throw invalidField(path, `must have ${min} to ${max} characters`)
  return value
}

function checkInteger(value: Json, path: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw invalidField(path, `must be a whole number from ${min} to ${max}`)
  }
  return value
}

function checkPlainField(value: Json, spec: FieldSpec, path: string): void {
  switch (spec.kind) {
    case 'integer':
      if (checkInteger(value, path, spec.min, spec.max) === 0 && spec.nonZero) throw invalidField(path, 'must not be 0')
      return
    case 'string':
      checkText(value, path, spec.min, spec.max)
      return
    case 'choice':
      if (typeof value !== 'string' || !spec.values.includes(value)) {
        throw invalidField(path, `must be one of ${spec.values.join(', ')}`)
      }
      return
    case 'flag':
      if (typeof value !== 'boolean') throw invalidField(path, 'must be true or false')
      return
    case 'name':
      if (typeof value !== 'string' || !NAME.test(value)) {
        throw invalidField(path, 'must be a letter and up to 31 letters or digits')
      }
      return
    case 'strings':
      for (const [i, item] of listOf(value, path, 0).entries()) {
        const member = checkText(item, `${path}[${i}]`, 0, 256)
        if (spec.values !== undefined && !spec.values.includes(member)) {
          throw invalidField(`${path}[${i}]`, `must be one of ${spec.values.join(', ')}`)
        }
      }
      return
    case 'steps':
      for (const [i, item] of listOf(value, path, 1).entries()) {
        if (typeof item === 'string') checkText(item, `${path}[${i}]`, 0, 256)
        else checkInteger(item, `${path}[${i}]`, -1_000_000, 1_000_000)
      }
      return
    case 'regex':
      readRegexAt(checkText(value, path, 0, 512), path)
      return
    case 'datePattern': {
      const elements = readDatePattern(checkText(value, path, 1, 64))
      if (elements === undefined) throw invalidField(path, 'is not a date pattern')
      if (spec.isRead && !isReadable(elements)) throw invalidField(path, 'has letters that can only be written')
      return
    }
    default:
      throw new Error(`not a plain field: ${spec.kind}`)
  }
}

function readRegexAt(regex: string, path: string): number {
  try {
    return compileRegex(regex).groups
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw invalidField(path, error.message)
    throw error
  }
}

/** Checks that the regex in the field `name` has the group that the field `groupName` gives. */
function checkGroup(node: JsonObject, name: string, groupName: string, path: string): void {
  const group = node[groupName]
  if (typeof group !== 'number') return
  const pattern = node[name]
  const regex = isJsonObject(pattern) && typeof pattern.regex === 'string' ? pattern.regex : undefined
  const groups = regex === undefined ? 0 : readRegexAt(regex, `${path}.${name}.regex`)
  if (group > groups) throw invalidField(`${path}.${groupName}`, `the pattern has ${groups} groups`)
}

/**
 * Checks an expression: its shape, the limits of a program, and that every operand can have a type that its operator
 * takes. Throws `validation_failed` with the path of the fault.
 */
export function checkExpr(value: Json, path = 'body'): CheckedExpr {
  const checker = new Checker()
  const types = checker.expr(value, path, 1, new Map())
  return { types, nodes: checker.nodes, size: checker.size }
}

import type { Json, JsonObject } from '../../../../core/kernel/json/json.ts'
import type { AnyOperator } from '../../../../core/compile/language/operators/entry.ts'
import { CHAR_SET, type Fields, type FieldSpec } from '../../../../core/compile/language/operators/fields.ts'
import { PATTERNS } from '../../../../core/compile/language/operators/patterns.ts'
import { POSITIONS } from '../../../../core/compile/language/operators/positions.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { ANY, DATE, JSON_VALUE, type TypeSet, typeSetOf } from '../../../../core/compile/language/value-types.ts'

const REGEXES = [
  'a+',
  '(\\w+)@(\\w+)',
  '^\\d+$',
  '[A-Z][a-z]*',
  '(a|b)*c',
  '\\bx\\b',
  '',
  '\\p{L}+',
  '.{2,3}',
  '(a+)+$',
]
const DATE_PATTERNS = ['yyyy-MM-dd', 'd/M/yy', 'HH:mm', "MMM d, yyyy 'at' h:mm a", 'yyyy-MM-ddXXX']
const LITERALS: readonly Json[] = [
  null,
  true,
  0,
  -1,
  2,
  0.1,
  1e300,
  '',
  'a',
  '12',
  '2024-02-29',
  'É😀',
  [],
  ['b', 'a'],
  [1, 2],
  {},
  { a: 1 },
]

/** Makes programs that `parseProgram` accepts out of the operator table, the same ones for the same seed. */
export class RandomPrograms {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** mulberry32 */
  #next(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[this.#next(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  /** An expression that may give one of the types; not deeper than `depth`. */
  expr(accepts: TypeSet, depth: number, names: readonly string[] = []): JsonObject {
    if (depth <= 0) return this.#leaf(accepts, names)
    if (this.#next(8) === 0) return this.#leaf(accepts, names)
    const fitting = Object.entries<AnyOperator>(OPERATORS).filter(
      ([op, { result }]) =>
        op !== 'var' && op !== 'literal' && (typeof result !== 'number' || (result & accepts) !== 0),
    )
    const [op, spec] = this.#pick(fitting)
    const given = typeof spec.result === 'number' ? undefined : { names: spec.result, accepts }
    return { op, ...this.#fields(spec.fields, depth, names, given) }
  }

  #leaf(accepts: TypeSet, names: readonly string[]): JsonObject {
    if ((accepts & JSON_VALUE) === 0) {
      return { op: 'parseDate', text: { op: 'input' }, pattern: this.#pick(DATE_PATTERNS) }
    }
    if (names.length > 0 && this.#next(2) === 0) return { op: 'orElse', of: [{ op: 'var', name: this.#pick(names) }] }
    if (this.#next(2) === 0) return { op: 'input' }
    return { op: 'literal', value: this.#pick(LITERALS.filter((value) => (typeSetOf(value) & accepts) !== 0)) }
  }

  #fields(
    fields: Fields,
    depth: number,
    names: readonly string[],
    given?: { names: readonly string[]; accepts: TypeSet },
  ): JsonObject {
    const bound = `v${depth}`
    const out: [string, Json][] = []
    for (const [name, spec] of Object.entries(fields)) {
      if (spec.optional === true && this.#next(2) === 0) continue
      if (name === 'group' && spec.kind === 'integer') continue
      out.push([name, this.#field(this.#narrow(name, spec, given), depth, names, bound)])
    }
    return Object.fromEntries(out)
  }

  /** Where an operator gives what its fields give, the fields must give what is wanted. */
  #narrow(name: string, spec: FieldSpec, given?: { names: readonly string[]; accepts: TypeSet }): FieldSpec {
    if (given === undefined || !given.names.includes(name)) return spec
    if (spec.kind === 'expr' || spec.kind === 'exprs') return { ...spec, accepts: given.accepts }
    return spec
  }

  #field(spec: FieldSpec, depth: number, names: readonly string[], bound: string): Json {
    switch (spec.kind) {
      case 'expr':
        return this.expr(spec.accepts, depth - 1, spec.binds === 'as' ? [...names, bound] : names)
      case 'exprs':
        return this.#times(Math.max(1, spec.min), 3, () => this.expr(spec.accepts, depth - 1, names))
      case 'records':
        return this.#times(Math.max(1, spec.min), 3, () => this.#fields(spec.fields, depth, names))
      case 'pos':
        return this.#tagged('op', POSITIONS, depth, names)
      case 'pattern':
        return this.#tagged('kind', PATTERNS, depth, names)
      case 'charSet':
        return this.#fields(CHAR_SET, depth, names)
      case 'integer': {
        const value = Math.min(spec.max, Math.max(spec.min, this.#next(7) - 3))
        return value === 0 && spec.nonZero === true ? 1 : value
      }
      case 'string':
        return this.#pick(['a', '-', ',', '.', ' ', 'key'].filter((text) => text.length <= spec.max))
      case 'choice':
        return this.#pick(spec.values)
      case 'flag':
        return this.#next(2) === 0
      case 'json':
        return this.#pick(LITERALS)
      case 'scalar':
        return this.#pick(LITERALS.filter((value) => typeof value !== 'object'))
      case 'name':
        return bound
      case 'strings':
        return this.#times(0, 3, () => this.#pick(spec.values ?? ['a', 'key', '__proto__']))
      case 'steps':
        return this.#times(1, 3, () => this.#pick(['a', 'key', 0, -1]))
      case 'regex':
        return this.#pick(REGEXES)
      case 'datePattern':
        return this.#pick(DATE_PATTERNS)
    }
  }

  #tagged(
    tag: string,
    table: Readonly<Record<string, { readonly fields: Fields }>>,
    depth: number,
    names: readonly string[],
  ): JsonObject {
    const kinds = Object.entries(table).filter(
      ([, { fields }]) => depth > 0 || !Object.values(fields).some((field) => field.kind === 'pos'),
    )
    const [kind, { fields }] = this.#pick(kinds)
    return { [tag]: kind, ...this.#fields(fields, depth - 1, names) }
  }

  #times<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.#next(most - least + 1) }, make)
  }
}

/** A body that is not a date, as a program's must be. */
export function randomBody(seed: number): JsonObject {
  return new RandomPrograms(seed).expr(ANY & ~DATE, 5)
}

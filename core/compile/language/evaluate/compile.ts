import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { type Expr, exprJson } from '../ast.ts'
import type { AnyOperator, AnyPrepared, AnyPreparedFields } from '../operators/entry.ts'
import type { Fields, FieldSpec } from '../operators/fields.ts'
import { findPattern } from '../operators/patterns.ts'
import { findPosition } from '../operators/positions.ts'
import { findOperator } from '../operators/table.ts'
import { type DateElement, readDatePattern } from '../primitives/dates/date-pattern.ts'
import { charSetOf } from '../primitives/text/char-classes.ts'
import { ANY, type TypeSet, type Value } from '../value-types.ts'
import type { BoundStep, CompiledPattern, Compiler, PosStep } from './compiler.ts'
import { type Failure, failure, type Frame, reserve, scan, spend, type Step } from './frame.ts'
import { checked } from './operands.ts'

function nodeOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function itemsOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** The form in which `evaluate` gets a field; see `Prepared`. */
function prepareField(compiler: Compiler, op: string, spec: FieldSpec, value: Json, node: JsonObject): AnyPrepared {
  switch (spec.kind) {
    case 'expr':
      return spec.binds === undefined
        ? compiler.operand(value, spec.takes ?? spec.accepts, op)
        : bindStep(compiler, textOf(node[spec.binds]), (inner) => inner.operand(value, spec.takes ?? spec.accepts, op))
    case 'exprs':
      return itemsOf(value).map((item) => compiler.operand(item, spec.accepts, op))
    case 'records':
      return itemsOf(value).map((item) => prepareFields(compiler, op, listOf(spec.fields), nodeOf(item)))
    case 'pattern':
      return compiler.pattern(value, spec.group === undefined ? 0 : Number(node[spec.group] ?? 0))
    case 'pos':
      return compiler.pos(value)
    case 'charSet':
      return charSetOf(value)
    case 'datePattern':
      return elementsOf(textOf(value))
    case 'name':
      return spec.bound === true ? readStep(compiler, textOf(value)) : textOf(value)
    default:
      return value
  }
}

function elementsOf(pattern: string): readonly DateElement[] {
  const elements = readDatePattern(pattern)
  if (elements === undefined) throw new TypeError(`no date pattern: ${pattern}`)
  return elements
}

function bindStep(compiler: Compiler, name: string, compile: (inner: Compiler) => Step): BoundStep {
  const { inner, slot } = compiler.bind(name)
  const body = compile(inner)
  return (frame, bound) => {
    frame.bound[slot] = bound
    return body(frame)
  }
}

function readStep(compiler: Compiler, name: string): Step {
  const slot = compiler.slotOf(name)
  if (slot === -1) throw new TypeError(`nothing is bound to ${name}`)
  return (frame) => frame.bound[slot] ?? null
}

type NamedField = readonly [name: string, spec: FieldSpec]

function prepareFields(
  compiler: Compiler,
  op: string,
  fields: readonly NamedField[],
  node: JsonObject,
): AnyPreparedFields {
  const given: Record<string, AnyPrepared> = {}
  for (const [name, spec] of fields) {
    const value = node[name]
    if (value !== undefined) given[name] = prepareField(compiler, op, spec, value, node)
  }
  return given
}

/** The fields of patterns, positions and records, as a list. */
const lists = new WeakMap<Fields, readonly NamedField[]>()

function listOf(fields: Fields): readonly NamedField[] {
  let list = lists.get(fields)
  if (list === undefined) {
    list = Object.entries(fields)
    lists.set(fields, list)
  }
  return list
}

/** An operator's entry, sorted out once: programs are compiled often. */
interface Plan {
  readonly op: string
  readonly entry: AnyOperator
  readonly operands: readonly (readonly [name: string, takes: TypeSet])[]
  readonly others: readonly NamedField[]
  readonly isScanned: boolean
  readonly isMade: boolean
  readonly failed: Failure
}

const plans = new Map<string, Plan>()

function planOf(op: string): Plan {
  const known = plans.get(op)
  if (known !== undefined) return known
  const entry = findOperator(op)
  if (entry === undefined) throw new TypeError(`unknown operator ${op}`)
  const fields = Object.entries(entry.fields)
  const plan: Plan = {
    op,
    entry,
    operands: entry.operands.map((name) => [name, takenBy(entry.fields[name])]),
    others: fields.filter(([name]) => !entry.operands.includes(name)),
    isScanned: entry.fuel?.includes('scan') === true,
    isMade: entry.fuel?.includes('make') === true,
    failed: failure(entry.fails ?? 'missing', op),
  }
  plans.set(op, plan)
  return plan
}

function takenBy(spec: FieldSpec | undefined): TypeSet {
  if (spec?.kind !== 'expr') throw new TypeError('an operand is an expression')
  return spec.takes ?? spec.accepts
}

/** Adds the failure without an answer, and the charge for a text that was made. */
function settle(frame: Frame, answer: Value | undefined, { isMade, failed }: Plan): Value {
  if (answer === undefined) throw failed
  if (isMade && typeof answer === 'string') reserve(frame, answer.length)
  return answer
}

/** Compiles a node of an operator, with all charges: 1 fuel, its `fuel`, and what `evaluate` charges itself. */
function compileCall(compiler: Compiler, plan: Plan, node: JsonObject): Step {
  const { op, isScanned } = plan
  const run = plan.entry.evaluate(prepareFields(compiler, op, plan.others, node), op)
  const [a, b, c] = plan.operands.map(([name, takes]) => compiler.operand(node[name], takes, op))
  if (a === undefined) {
    return (frame) => {
      spend(frame, 1)
      return settle(frame, run(frame), plan)
    }
  }
  if (b === undefined) {
    return (frame) => {
      spend(frame, 1)
      const value = a(frame)
      if (isScanned && typeof value === 'string') scan(frame, value.length)
      return settle(frame, run(value, frame), plan)
    }
  }
  if (c === undefined) {
    return (frame) => {
      spend(frame, 1)
      const left = a(frame)
      return settle(frame, run(left, b(frame), frame), plan)
    }
  }
  return (frame) => {
    spend(frame, 1)
    const first = a(frame)
    const second = b(frame)
    return settle(frame, run(first, second, c(frame), frame), plan)
  }
}

/** A compiler that knows the names in scope; slots are nesting depths. */
export class ScopedCompiler implements Compiler {
  readonly #names: readonly string[]

  constructor(names: readonly string[]) {
    this.#names = names
  }

  expr(value: Json | undefined): Step {
    const node = nodeOf(value)
    return compileCall(this, planOf(textOf(node.op)), node)
  }

  operand(value: Json | undefined, accepts: TypeSet, op: string): Step {
    const step = this.expr(value)
    return accepts === ANY ? step : checked(step, accepts, op)
  }

  pattern(value: Json | undefined, group = 0): CompiledPattern {
    const entry = findPattern(value)
    if (entry === undefined) throw new TypeError('unknown pattern')
    return entry.evaluate(prepareFields(this, 'pattern', listOf(entry.fields), nodeOf(value)), group)
  }

  pos(value: Json | undefined): PosStep {
    const entry = findPosition(value)
    if (entry === undefined) throw new TypeError('unknown position')
    const node = nodeOf(value)
    const step = entry.evaluate(prepareFields(this, textOf(node.op), listOf(entry.fields), node))
    return (frame, text) => {
      spend(frame, 1)
      return step(frame, text)
    }
  }

  bind(name: string): { readonly inner: Compiler; readonly slot: number } {
    return { inner: new ScopedCompiler([...this.#names, name]), slot: this.#names.length }
  }

  slotOf(name: string): number {
    return this.#names.lastIndexOf(name)
  }
}

/** Compiles an expression to closures. Every expression and position costs 1 fuel each time it is evaluated. */
export function compileExpr(expr: Expr): Step {
  return new ScopedCompiler([]).expr(exprJson(expr))
}

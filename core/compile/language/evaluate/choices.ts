import type { Json } from '../../../kernel/json/json.ts'
import type { ChoiceExpr, Expr } from '../ast.ts'
import type { ComparisonOp, Scalar } from '../names.ts'
import { CivilDate } from '../primitives/dates/civil-date.ts'
import { differenceOf } from '../primitives/dates/date-math.ts'
import { compareTexts, equalJson, isEmptyJson, valueKey } from '../primitives/values/json-values.ts'
import { typeNameOf } from '../value-types.ts'
import { booleanOf, type Compiler, jsonOf, listOf } from './compiler.ts'
import { Failure, failure, type Frame, scan, spend, type Step, type Value } from './frame.ts'

/** Equality of any two values; every pair of JSON values that is compared costs fuel. */
function equalValues(frame: Frame, left: Value, right: Value): boolean {
  if (left instanceof CivilDate || right instanceof CivilDate) {
    if (!(left instanceof CivilDate && right instanceof CivilDate)) return false
    return differenceOf(left, right, 'milliseconds') === 0
  }
  return equalJson(left, right, () => spend(frame, 1))
}

/** Returns -1, 0 or 1 for two numbers, texts or dates; undefined for values without an order. */
function order(frame: Frame, left: Value, right: Value): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : left > right ? 1 : 0
  if (typeof left === 'string' && typeof right === 'string') {
    scan(frame, Math.min(left.length, right.length))
    return compareTexts(left, right)
  }
  if (left instanceof CivilDate && right instanceof CivilDate) {
    const ms = differenceOf(right, left, 'milliseconds')
    return ms === undefined ? undefined : Math.sign(ms)
  }
  return undefined
}

const HOLDS: Readonly<Record<Exclude<ComparisonOp, 'eq' | 'ne'>, (order: number) => boolean>> = {
  lt: (sign) => sign < 0,
  le: (sign) => sign <= 0,
  gt: (sign) => sign > 0,
  ge: (sign) => sign >= 0,
}

function compileComparison(compiler: Compiler, node: ChoiceExpr & { op: ComparisonOp }): Step {
  const left = compiler.expr(node.left)
  const right = compiler.expr(node.right)
  const { op } = node
  if (op === 'eq') return (frame) => equalValues(frame, left(frame), right(frame))
  if (op === 'ne') return (frame) => !equalValues(frame, left(frame), right(frame))
  const holds = HOLDS[op]
  const mismatch = failure('type_mismatch', op)
  return (frame) => {
    const sign = order(frame, left(frame), right(frame))
    if (sign === undefined) throw mismatch
    return holds(sign)
  }
}

function compileLookup(compiler: Compiler, node: ChoiceExpr & { op: 'lookup' }): Step {
  const key = jsonOf(compiler, node.key, 'lookup')
  const ignoreCase = node.ignoreCase ?? false
  const keyOf = (value: Json | Scalar): string =>
    valueKey(ignoreCase && typeof value === 'string' ? value.toLowerCase() : value)
  const table = new Map(node.cases.map((entry) => [keyOf(entry.key), entry.value]))
  const otherwise = node.default === undefined ? undefined : compiler.expr(node.default)
  const noMatch = failure('no_match', 'lookup')
  return (frame) => {
    const value = key(frame)
    // Lists and objects are never keys.
    const isKey = typeof value !== 'object' || value === null
    if (typeof value === 'string') scan(frame, value.length)
    const answer = isKey ? table.get(keyOf(value)) : undefined
    if (answer !== undefined) return answer
    if (otherwise === undefined) throw noMatch
    return otherwise(frame)
  }
}

/** The step's value, or the failure when it has none and that may be caught. */
function attempt(step: Step, frame: Frame): Value | Failure {
  try {
    return step(frame)
  } catch (error) {
    if (!(error instanceof Failure) || !error.isCaught) throw error
    return error
  }
}

function compileOrElse(compiler: Compiler, alternatives: readonly Expr[]): Step {
  const steps = alternatives.map((alternative) => compiler.expr(alternative))
  const first = steps.slice(0, -1)
  const last = steps.at(-1)
  return (frame) => {
    for (const step of first) {
      const value = attempt(step, frame)
      if (!(value instanceof Failure)) return value
    }
    if (last === undefined) throw failure('missing', 'orElse')
    return last(frame)
  }
}

function compileCoalesce(compiler: Compiler, node: ChoiceExpr & { op: 'coalesce' }): Step {
  const steps = node.of.map((alternative) => compiler.expr(alternative))
  const skipEmpty = node.skipEmpty ?? false
  const missing = failure('missing', 'coalesce')
  return (frame) => {
    for (const step of steps) {
      const value = attempt(step, frame)
      if (value instanceof Failure) {
        if (value.reason === 'missing') continue
        throw value
      }
      if (value === null || (skipEmpty && !(value instanceof CivilDate) && isEmptyJson(value))) continue
      return value
    }
    throw missing
  }
}

/** Compiles an operator that chooses or tests. */
export function compileChoice(compiler: Compiler, node: ChoiceExpr): Step {
  switch (node.op) {
    case 'if': {
      const cond = booleanOf(compiler, node.cond, 'if')
      const then = compiler.expr(node.then)
      const otherwise = compiler.expr(node.else)
      return (frame) => (cond(frame) ? then(frame) : otherwise(frame))
    }
    case 'switch': {
      const cases = node.cases.map((entry) => ({
        when: booleanOf(compiler, entry.when, 'switch'),
        answer: compiler.expr(entry.then),
      }))
      const otherwise = compiler.expr(node.else)
      return (frame) => {
        for (const { when, answer } of cases) if (when(frame)) return answer(frame)
        return otherwise(frame)
      }
    }
    case 'lookup':
      return compileLookup(compiler, node)
    case 'and': {
      const steps = node.of.map((part) => booleanOf(compiler, part, 'and'))
      return (frame) => steps.every((step) => step(frame))
    }
    case 'or': {
      const steps = node.of.map((part) => booleanOf(compiler, part, 'or'))
      return (frame) => steps.some((step) => step(frame))
    }
    case 'not': {
      const of = booleanOf(compiler, node.of, 'not')
      return (frame) => !of(frame)
    }
    case 'eq':
    case 'ne':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return compileComparison(compiler, node)
    case 'in': {
      const value = jsonOf(compiler, node.value, 'in')
      const list = listOf(compiler, node.list, 'in')
      return (frame) => {
        const wanted = value(frame)
        return list(frame).some((item) => equalValues(frame, wanted, item))
      }
    }
    case 'isEmpty': {
      const of = jsonOf(compiler, node.of, 'isEmpty')
      return (frame) => isEmptyJson(of(frame))
    }
    case 'isType': {
      const of = jsonOf(compiler, node.of, 'isType')
      const { type } = node
      return (frame) => typeNameOf(of(frame)) === type
    }
    case 'coalesce':
      return compileCoalesce(compiler, node)
    case 'orElse':
      return compileOrElse(compiler, node.of)
    case 'can': {
      const of = compiler.expr(node.of)
      return (frame) => !(attempt(of, frame) instanceof Failure)
    }
  }
}

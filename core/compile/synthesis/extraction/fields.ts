import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { EACH } from '../../rows/equality/equality.ts'
import { equalityBelow, isSameValue, type EqualityNode } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import { compileEvaluation } from '../../language/evaluate/evaluate.ts'
import { costOf, type Cost } from '../ranking/cost.ts'
import { literal } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import { itemVariable } from '../lists/items.ts'
import type { Solve } from '../solve/workspace.ts'
import { columnPart, tokenParts } from './columns.ts'
import { spread } from './contexts.ts'
import { learnRegion, regionExpr } from './region.ts'
import type { Records } from './records.ts'

const MAX_LEARNED = 24
const MAX_SOLVED = 8
const MAX_ROUNDS = 3
const SOLVE_STEPS = 100_000
const MAX_NAMES = 40

/** An expression over a record. */
interface Field {
  readonly expr: Expr
  readonly cost: Cost
}

/** A record with the value that a field has there; undefined where the item lacks it. */
interface Pair {
  readonly record: string
  readonly value: Json | undefined
}

/** Path from the program's input to a record. */
export interface FieldSearch {
  readonly equality: EqualityNode
  readonly depth: number
  readonly solve: Solve
  readonly budget: Budget
}

/** The text that a value shows in its record. */
export function shownText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

function failures(pairs: readonly Pair[], record: string, expr: Expr, equality: EqualityNode): Pair[] {
  // The record is bound by `let` to the input, so that its program runs by itself.
  const compiled = compileEvaluation({ op: 'let', name: record, value: { op: 'input' }, in: expr })
  return pairs.filter((pair) => {
    const answer = compiled.attempt(pair.record)
    if (pair.value === undefined) return answer !== undefined
    return answer === undefined || !isSameValue(equality, answer, pair.value)
  })
}

function absent(field: Field): Field {
  return { expr: { op: 'orElse', of: [field.expr, literal(null)] }, cost: field.cost.with('field.absent') }
}

/** Landmarks inside records; rows where the value is null have no such region. */
function byLandmarks(shown: readonly Pair[], record: Expr, budget: Budget): Field[] {
  const hasNull = shown.some(({ value }) => value === null)
  const hasMissing = shown.some(({ value }) => value === undefined)
  if (hasNull && hasMissing) return []
  const samples = shown.map((pair) => ({ text: pair.record, value: pair.value === null ? undefined : pair.value }))
  const texts = samples.flatMap(({ text, value }) =>
    value === undefined || typeof value === 'string' ? [{ text, value }] : [],
  )
  if (texts.length < samples.length || texts.every(({ value }) => value === undefined)) return []
  return learnRegion(texts, budget).map((region) => {
    const field = { expr: regionExpr(record, region), cost: region.cost }
    return hasNull ? absent(field) : field
  })
}

/** Tokens and columns of records. */
function byPlace(shown: readonly Pair[], record: Expr): Field[] {
  const texts = shown.flatMap((pair) =>
    typeof pair.value === 'string' ? [{ record: pair.record, value: pair.value }] : [],
  )
  return texts.length < shown.length ? [] : [...tokenParts(texts, record), ...columnPart(texts, record)]
}

function bySearch(shown: readonly Pair[], record: Expr, search: FieldSearch): Field[] {
  const present = shown.flatMap(({ record: input, value }) => (value === undefined ? [] : [{ input, value }]))
  if (present.length < 2 || present.length < shown.length) return []
  const problem = {
    root: record,
    inputs: present.map(({ input }) => input),
    targets: present.map(({ value }) => value),
    equality: search.equality,
    depth: search.depth + 1,
  }
  return search.budget
    .within(SOLVE_STEPS, (part) => search.solve(problem, 3, part), [])
    .map(({ expr, cost }) => ({ expr, cost: cost.with('field.searched') }))
}

/** Finds the program of a field: learned from some records, tried on all, learned again with those that came out wrong. */
function solveField(pairs: readonly Pair[], depth: number, search: FieldSearch): Field | undefined {
  const { name, expr } = itemVariable(depth)
  for (const [learn, count] of [
    [(shown: readonly Pair[]) => byLandmarks(shown, expr, search.budget), MAX_LEARNED],
    [(shown: readonly Pair[]) => byPlace(shown, expr), MAX_LEARNED],
    [(shown: readonly Pair[]) => bySearch(shown, expr, search), MAX_SOLVED],
  ] as const) {
    const held = pairs.filter(({ value }) => value !== undefined && value !== null)
    const others = pairs.filter(({ value }) => value === undefined || value === null)
    let shown = [...spread(held, count), ...spread(others, count >> 1)]
    for (let round = 0; round < MAX_ROUNDS; round++) {
      let wrong: readonly Pair[] = []
      for (const field of learn(shown)) {
        const failed = failures(pairs, name, field.expr, search.equality)
        if (failed.length === 0) return field
        wrong = failed
      }
      if (wrong.length === 0) break
      shown = [...shown, ...spread(wrong, 4)]
    }
  }
  return undefined
}

/** Solves each member of the items; a member that some items lack is optional. */
function solveMembers(pairs: readonly Pair[], depth: number, search: FieldSearch): Field | undefined {
  const names = new Set<string>()
  for (const { value } of pairs) if (isJsonObject(value)) for (const name of Object.keys(value)) names.add(name)
  if (names.size === 0 || names.size > MAX_NAMES) return undefined
  const members: { name: string; value: Expr; optional?: true }[] = []
  let cost = costOf('object')
  for (const name of names) {
    const own = pairs.map(({ record, value }) => ({
      record,
      value: isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
    }))
    const equality = equalityBelow(search.equality, name)
    const field = solveField(own, depth, { ...search, equality })
    if (field === undefined) return undefined
    const isOptional = own.some(({ value }) => value === undefined)
    members.push({ name, value: field.expr, ...(isOptional ? { optional: true } : {}) })
    cost = cost.plus(field.cost).when(isOptional, 'object.optional')
  }
  return { expr: { op: 'object', members }, cost }
}

/** Finds the program that turns each record into its item: a text, or an object of fields. */
export function solveRecords(
  records: Records,
  targets: readonly (readonly Json[])[],
  search: FieldSearch,
): { readonly build: (text: Expr) => Expr; readonly cost: Cost } | undefined {
  const pairs = targets.flatMap((items, i) =>
    items.flatMap((value, at): Pair[] => {
      const record = records.values[i]?.[at]
      return record === undefined ? [] : [{ record, value }]
    }),
  )
  const inner = { ...search, equality: equalityBelow(search.equality, EACH) }
  const { name } = itemVariable(0)
  const areObjects = pairs.every(({ value }) => isJsonObject(value))
  if (!areObjects && pairs.every(({ record, value }) => record === value))
    return { build: records.build, cost: records.cost }
  const field = areObjects ? solveMembers(pairs, 0, inner) : solveField(pairs, 0, inner)
  if (field === undefined) return undefined
  return {
    build: (text) => ({ op: 'map', list: records.build(text), as: name, body: field.expr }),
    cost: records.cost.with('map').plus(field.cost),
  }
}

import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import type { Budget } from './budget.ts'
import { jsonBy } from './derived.ts'
import { longUnits, type JsonNode, type Node, type NumberNode, type TextNode } from './node.ts'
import { costOf } from '../ranking/cost.ts'
import { onShown, shownOf, type WorkingRows } from './unlabelled.ts'

/** Starting values of a program: the input and its members, by type. */
export interface Scope extends WorkingRows {
  readonly roots: readonly JsonNode[]
  readonly texts: readonly TextNode[]
  readonly numbers: readonly NumberNode[]
  readonly booleans: readonly Node<boolean>[]
  readonly lists: readonly Node<readonly Json[]>[]
}

const MAX_DEPTH = 5
const MAX_MEMBERS = 48
const MAX_ROOTS = 120
const MAX_LIST_ITEMS = 3
const MAX_SORT_KEYS = 3

function member(of: Expr, name: string): Expr {
  return of.op === 'path'
    ? { op: 'path', of: of.of, steps: [...of.steps, name] }
    : of.op === 'field'
      ? { op: 'path', of: of.of, steps: [of.name, name] }
      : { op: 'field', of, name }
}

function item(of: Expr, index: number): Expr {
  return { op: 'nth', list: of, index }
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function childrenOf({ expr, cost, values }: JsonNode, shown: number): JsonNode[] {
  const children: JsonNode[] = []
  const names = new Set<string>()
  for (const value of shownOf(values, shown)) {
    if (!isJsonObject(value)) continue
    for (const name of Object.keys(value)) {
      if (names.size < MAX_MEMBERS) names.add(name)
    }
  }
  for (const name of names) {
    children.push({
      expr: member(expr, name),
      cost: cost.with('member'),
      values: values.map((value) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined)),
    })
  }
  const longest = shownOf(values, shown).reduce<number>(
    (max, value) => (isList(value) ? Math.max(max, value.length) : max),
    0,
  )
  const indices = Array.from({ length: Math.min(longest, MAX_LIST_ITEMS) }, (_, index) => index)
  if (longest > 0) indices.push(-1)
  if (longest > 1) indices.push(-2)
  for (const index of indices) {
    children.push({
      expr: item(expr, index),
      cost: cost.with('item').with('item.place', Math.abs(index)),
      values: values.map((value) => (isList(value) ? value.at(index) : undefined)),
    })
  }
  children.push(...extremes({ expr, cost, values }), ...extremeTexts({ expr, cost, values }))
  return children
}

const ITEM: Expr = { op: 'var', name: 'item' }
/** The item with the largest and the one with the smallest key. */
const FIRST_BY = [{ descending: true }, {}].map(
  (order) => (key: Expr) => jsonBy((list) => item({ op: 'sortBy', list, as: 'item', key, ...order }, 0)),
)

/** The item of a list of objects with the largest or the smallest number in a member. */
function extremes({ expr, cost, values }: JsonNode): JsonNode[] {
  const keys = new Set<string>()
  for (const value of values) {
    for (const entry of isList(value) ? value : []) {
      if (!isJsonObject(entry)) continue
      for (const [name, member] of Object.entries(entry)) if (typeof member === 'number') keys.add(name)
    }
  }
  return [...keys]
    .slice(0, MAX_SORT_KEYS)
    .flatMap((name) =>
      FIRST_BY.map((first) =>
        first({ op: 'field', of: ITEM, name })(
          { expr, values: values.map((value) => (hasNumbers(value, name) ? value : undefined)) },
          cost.with('item.extreme'),
        ),
      ),
    )
}

/** Dates, times and codes, whose order people ask for. */
const IS_ORDERED = /^\d/

/**
 * Returns the longest and the shortest of several texts, the first of equally long ones; of dates and other texts that start with
 * digits also the last and the first in order.
 */
function extremeTexts({ expr, cost, values }: JsonNode): JsonNode[] {
  const areTexts = (value: Json | undefined) =>
    isList(value) && value.length > 1 && value.every((entry) => typeof entry === 'string')
  if (!values.some(areTexts)) return []
  const key: Expr = { op: 'length', of: ITEM }
  const texts = values.map((value) => (areTexts(value) ? value : undefined))
  const isOrdered = texts.every(
    (items) => !isList(items) || items.every((item) => typeof item === 'string' && IS_ORDERED.test(item)),
  )
  return (isOrdered ? [key, ITEM] : [key]).flatMap((by) =>
    FIRST_BY.map((first) => first(by)({ expr, values: texts }, cost.with('item.extreme'))),
  )
}

function hasNumbers(value: Json | undefined, name: string): boolean {
  return isList(value) && value.every((entry) => isJsonObject(entry) && typeof entry[name] === 'number')
}

function ofType<T>(nodes: readonly JsonNode[], shown: number, isIt: (value: Json) => T | undefined): Node<T>[] {
  const out: Node<T>[] = []
  for (const { expr, cost, values } of nodes) {
    const typed = values.map((value) => (value === undefined ? undefined : isIt(value)))
    if (shownOf(typed, shown).some((value) => value !== undefined)) out.push({ expr, cost, values: typed })
  }
  return out
}

/**
 * Reads the input and its members, breadth first, as the nodes that programs start from. The first `shown` inputs, all
 * of them unless given, have a target: only their members are read.
 */
export function readScope(inputs: readonly Json[], root: Expr, shown = inputs.length): Scope {
  const roots: JsonNode[] = [{ expr: root, cost: costOf('input'), values: inputs }]
  let level = roots
  for (let depth = 0; depth < MAX_DEPTH && roots.length < MAX_ROOTS; depth++) {
    const next = level.flatMap((node) => childrenOf(node, shown)).slice(0, MAX_ROOTS - roots.length)
    if (next.length === 0) break
    roots.push(...next)
    level = next
  }
  return {
    shown,
    count: inputs.length,
    roots,
    texts: ofType(roots, shown, (value) => (typeof value === 'string' ? value : undefined)),
    numbers: ofType(roots, shown, (value) => (typeof value === 'number' ? value : undefined)),
    booleans: ofType(roots, shown, (value) => (typeof value === 'boolean' ? value : undefined)),
    lists: ofType(roots, shown, (value) => (isList(value) ? value : undefined)),
  }
}

/** Returns the scope on the rows with a target. */
export function shownScope(scope: Scope): Scope {
  const { shown, count } = scope
  if (shown === count) return scope
  const cut = <T>(nodes: readonly Node<T>[]) => nodes.map((node) => onShown(node, shown))
  return {
    shown,
    count: shown,
    roots: cut(scope.roots),
    texts: cut(scope.texts),
    numbers: cut(scope.numbers),
    booleans: cut(scope.booleans),
    lists: cut(scope.lists),
  }
}

/** Units of a text that are searched for nothing, and the steps of each further one. */
const CHEAP_UNITS = 2000
const STEPS_PER_UNIT = 8

/**
 * Counts the steps of searching the texts of a scope. Where those are more than a third of the rest, the long texts are
 * left out: parts of them are found by landmarks alone.
 */
export function withinBudget(scope: Scope, budget: Budget): Scope {
  const steps = STEPS_PER_UNIT * longUnits(scope.texts, CHEAP_UNITS)
  if (steps <= budget.remaining / 3) {
    budget.spend(steps)
    return scope
  }
  return { ...scope, texts: scope.texts.filter((text) => longUnits([text], CHEAP_UNITS) === 0) }
}

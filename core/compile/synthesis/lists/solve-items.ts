import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { EACH } from '../../rows/equality/equality.ts'
import { equalityBelow, EXACTLY, isSameValue, type EqualityNode } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import { compileCandidate } from '../search/candidate-program.ts'
import { equalJson, valueKey } from '../../language/primitives/values/json-values.ts'
import { literal } from '../search/build.ts'
import type { Solve } from '../solve/workspace.ts'
import type { Budget } from '../search/budget.ts'
import { itemVariable, mapItems, memberOf, type ListNode } from './items.ts'
import { costBound, type Cost } from '../ranking/cost.ts'

const MAX_ITEMS = 10
const MAX_WRONG = 4
const ITEM_STEPS = 120_000

export interface Mapped {
  readonly expr: Expr
  readonly cost: Cost
  readonly values: readonly (readonly Json[] | undefined)[]
}

function distinctPairs(pairs: readonly { readonly input: Json; readonly target: Json }[]): typeof pairs | undefined {
  const byInput = new Map<string, { input: Json; target: Json }>()
  for (const pair of pairs) {
    const key = valueKey(pair.input)
    const known = byInput.get(key)
    if (known === undefined) byInput.set(key, pair)
    else if (!equalJson(known.target, pair.target)) return undefined
  }
  return [...byInput.values()]
}

/** Runs an item program on every item of every row. */
function mapValues(list: ListNode, name: string, body: Expr): (readonly Json[] | undefined)[] {
  // The item is bound by `let` to the input, so that a program over an item runs by itself.
  const compiled = compileCandidate({ op: 'let', name, value: { op: 'input' }, in: body })
  if ('refused' in compiled) return list.values.map(() => undefined)
  return list.values.map((items) => {
    if (items === undefined) return undefined
    const out: Json[] = []
    for (const item of items) {
      const value = compiled.attempt(item)
      if (value === undefined) return undefined
      out.push(value)
    }
    return out
  })
}

/**
 * Finds the program that turns every item of a list into the item at the same place of the target: a nested problem
 * whose rows are the items.
 */
export function solveItems(
  list: ListNode,
  targets: readonly (readonly Json[])[],
  equality: EqualityNode,
  rows: readonly number[],
  depth: number,
  solve: Solve,
  budget: Budget,
): Mapped | undefined {
  const pairs: { input: Json; target: Json }[] = []
  for (const [i, row] of rows.entries()) {
    const items = list.values[row]
    const wanted = targets[i]
    if (items === undefined || wanted === undefined || items.length !== wanted.length) return undefined
    items.forEach((input, at) => pairs.push({ input, target: wanted[at] ?? null }))
  }
  const distinct = distinctPairs(pairs)
  if (distinct === undefined || distinct.length < 2) return undefined
  const { name, expr } = itemVariable(depth)
  const few = distinct.slice(0, MAX_ITEMS)
  const problem = {
    root: expr,
    inputs: few.map(({ input }) => input),
    targets: few.map(({ target }) => target),
    equality: equalityBelow(equality, EACH),
    depth: depth + 1,
  }
  const found = budget.within(ITEM_STEPS, (part) => solve(problem, 3, part), [])
  for (const { expr: body, cost } of found) {
    // A program this long explains too little.
    if (cost.total > costBound('item.program')) continue
    const values = body.op === 'var' ? list.values : mapValues(list, name, body)
    const isRight = rows.every((row, i) => {
      const value = values[row]
      const wanted = targets[i]
      return value !== undefined && wanted !== undefined && isSameValue(equality, value, wanted)
    })
    if (!isRight) continue
    return { expr: { op: 'map', list: list.expr, as: name, body }, cost: list.cost.with('map').plus(cost), values }
  }
  return undefined
}

/** The item itself, or one of its members. */
function partOf(item: Json, member: string | undefined): Json | undefined {
  if (member === undefined) return item
  return isJsonObject(item) && Object.hasOwn(item, member) ? item[member] : undefined
}

/**
 * Keeps the items for which a predicate holds, where the target is a part of the list (or of one member of its items)
 * in the same order.
 */
export function keptItems(
  list: ListNode,
  member: string | undefined,
  targets: readonly (readonly Json[])[],
  equality: EqualityNode,
  rows: readonly number[],
  depth: number,
  solve: Solve,
  budget: Budget,
): Mapped | undefined {
  const pairs: { input: Json; target: boolean }[] = []
  for (const [i, row] of rows.entries()) {
    const items = list.values[row]
    const wanted = targets[i]
    if (items === undefined || wanted === undefined || items.length < wanted.length) return undefined
    let at = 0
    for (const item of items) {
      const next = wanted[at]
      const part = partOf(item, member)
      const isKept = next !== undefined && part !== undefined && equalJson(part, next)
      if (isKept) at++
      pairs.push({ input: item, target: isKept })
    }
    if (at < wanted.length) return undefined
  }
  const { name, expr } = itemVariable(depth)
  for (const kept of filters(list, pairs, depth, solve, budget)) {
    const values = kept.values.map((items) => items?.flatMap((item) => partOf(item, member) ?? []))
    const isRight = rows.every((row, i) => {
      const value = values[row]
      const wanted = targets[i]
      return value !== undefined && wanted !== undefined && isSameValue(equality, value, wanted)
    })
    if (!isRight) continue
    if (member === undefined) return { ...kept, cost: kept.cost.with('filter') }
    const body = memberOf(expr, member)
    return {
      expr: { op: 'map', list: kept.expr, as: name, body },
      cost: kept.cost.with('filter.member'),
      values,
    }
  }
  return undefined
}

/** Returns the list with the items alone for which a condition holds, by conditions that tell those of the pairs apart. */
function filters(
  list: ListNode,
  pairs: readonly { readonly input: Json; readonly target: boolean }[],
  depth: number,
  solve: Solve,
  budget: Budget,
): Mapped[] {
  const distinct = distinctPairs(pairs)
  if (distinct === undefined || new Set(distinct.map(({ target }) => target)).size < 2) return []
  const { name, expr } = itemVariable(depth)
  const conditions = (pairs: readonly { readonly input: Json; readonly target: Json }[]) => {
    const problem = {
      root: expr,
      inputs: pairs.map(({ input }) => input),
      targets: pairs.map(({ target }) => target),
      equality: EXACTLY,
      depth: depth + 1,
    }
    return budget.within(ITEM_STEPS, (part) => solve(problem, 3, part), [])
  }
  const few = distinct.slice(0, MAX_ITEMS * 2)
  const first = conditions(few)
  const [best] = first
  const items: ListNode = { ...list, values: [distinct.map(({ input }) => input)] }
  const [answers] = best === undefined ? [] : mapValues(items, name, best.expr)
  // A condition that the first items leave open is searched again with some of those that it gets wrong.
  const wrong = best === undefined ? [] : distinct.filter(({ target }, at) => answers?.[at] !== target)
  const found = wrong.length === 0 ? first : conditions([...few, ...wrong.slice(0, MAX_WRONG)])
  return found.flatMap(({ expr: where, cost }): Mapped[] => {
    if (where.op === 'literal' || cost.total > costBound('item.condition')) return []
    const flags = mapValues(list, name, where)
    return [
      {
        expr: { op: 'filter', list: list.expr, as: name, where },
        cost: list.cost.plus(cost),
        values: list.values.map((items, row) => items?.filter((_, at) => flags[row]?.[at] === true)),
      },
    ]
  })
}

/** Keeps the texts for which a condition holds, where the targets are the ends of some of them in the same order, and maps those. */
export function keptEnds(
  list: ListNode,
  targets: readonly (readonly Json[])[],
  equality: EqualityNode,
  rows: readonly number[],
  depth: number,
  solve: Solve,
  budget: Budget,
): Mapped | undefined {
  const pairs: { input: Json; target: boolean }[] = []
  for (const [i, row] of rows.entries()) {
    const wanted = targets[i] ?? []
    let at = 0
    for (const item of list.values[row] ?? []) {
      const next = wanted[at]
      if (typeof item !== 'string') return undefined
      const isKept = typeof next === 'string' && next !== '' && item.endsWith(next)
      if (isKept) at++
      pairs.push({ input: item, target: isKept })
    }
    if (at < wanted.length) return undefined
  }
  for (const kept of filters(list, pairs, depth, solve, budget)) {
    const cost = kept.cost.with('filter')
    const mapped = solveItems({ ...kept, cost }, targets, equality, rows, depth, solve, budget)
    if (mapped !== undefined) return mapped
  }
  return undefined
}

/** Names of the members that the objects of a list have. */
export function memberNamesOf(list: ListNode): string[] {
  const names = new Set<string>()
  for (const items of list.values) {
    for (const item of items ?? []) if (isJsonObject(item)) for (const name of Object.keys(item)) names.add(name)
  }
  return [...names].slice(0, MAX_ITEMS)
}

/** A joined list as a text. */
export function joined(list: Mapped, separator: string): { expr: Expr; cost: Cost; values: (string | undefined)[] } {
  const hasNumbers = list.values.some((items) => items?.some((item) => typeof item === 'number') === true)
  // `join` takes texts only.
  const texts: Expr = hasNumbers ? mapItems(list.expr, (of) => ({ op: 'toText', of })) : list.expr
  return {
    expr: { op: 'join', list: texts, separator: literal(separator) },
    cost: list.cost.with('join').with('join.character', separator.length).when(hasNumbers, 'join.numbers'),
    values: list.values.map((items) => {
      if (items === undefined || !items.every((item) => typeof item === 'string' || typeof item === 'number'))
        return undefined
      return items.join(separator)
    }),
  }
}

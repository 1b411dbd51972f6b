import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { EACH } from '../../rows/equality/equality.ts'
import { equalityBelow, EXACTLY, isSameValue, type EqualityNode } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import { compileCandidate } from '../search/candidate-program.ts'
import { equalJson, valueKey } from '../../language/primitives/values/json-values.ts'
import { literal } from '../search/build.ts'
import type { Solve } from '../solve/workspace.ts'
import type { Budget } from '../search/budget.ts'
import { itemVariable, type ListNode } from './list-space.ts'
import { costBound, type Cost } from '../ranking/cost.ts'

const MAX_ITEMS = 10
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
  const pairs: { input: Json; target: Json }[] = []
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
  const distinct = distinctPairs(pairs)
  if (distinct === undefined || new Set(distinct.map(({ target }) => target)).size < 2) return undefined
  const { name, expr } = itemVariable(depth)
  const few = distinct.slice(0, MAX_ITEMS * 2)
  const problem = {
    root: expr,
    inputs: few.map(({ input }) => input),
    targets: few.map(({ target }) => target),
    equality: EXACTLY,
    depth: depth + 1,
  }
  const found = budget.within(ITEM_STEPS, (part) => solve(problem, 3, part), [])
  for (const { expr: where, cost } of found) {
    if (where.op === 'literal' || cost.total > costBound('item.condition')) continue
    const flags = mapValues(list, name, where)
    const values = list.values.map((items, row) => {
      const kept = items?.filter((_, at) => flags[row]?.[at] === true)
      return kept?.flatMap((item) => partOf(item, member) ?? [])
    })
    const isRight = rows.every((row, i) => {
      const value = values[row]
      const wanted = targets[i]
      return value !== undefined && wanted !== undefined && isSameValue(equality, value, wanted)
    })
    if (!isRight) continue
    const kept: Expr = { op: 'filter', list: list.expr, as: name, where }
    return {
      expr:
        member === undefined
          ? kept
          : { op: 'map', list: kept, as: name, body: { op: 'field', of: expr, name: member } },
      cost: list.cost.with(member === undefined ? 'filter' : 'filter.member').plus(cost),
      values,
    }
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
  const { name, expr } = itemVariable(0)
  // `join` takes texts only.
  const texts: Expr = hasNumbers
    ? { op: 'map', list: list.expr, as: name, body: { op: 'toText', of: expr } }
    : list.expr
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

import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { evaluatorOf } from '../../language/evaluate/columns.ts'
import type { TokenName } from '../../language/names.ts'
import { calculate } from '../../language/primitives/numbers/arithmetic.ts'
import { readPlainNumber } from '../../language/primitives/numbers/number-text.ts'
import { INPUT, literalPattern, tokenPattern } from '../search/build.ts'
import { mapValues, NodePool, type Node } from '../search/node.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { Scope } from '../search/scope.ts'
import type { TextSource } from '../text/source.ts'
import { byCost, costOf, type Cost } from '../ranking/cost.ts'

export type ListNode = Node<readonly Json[]>

const ITEM = 'item'
const TOKENS: readonly TokenName[] = ['nonspace', 'word', 'alpha', 'digits', 'number', 'upper', 'proper', 'line']
const REGEXES = [
  { regex: '#[A-Za-z0-9_]+', feature: 'matches.tag' },
  { regex: '@[A-Za-z0-9_]+', feature: 'matches.handle' },
  { regex: '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+', feature: 'matches.address' },
  { regex: '[A-Z]+[a-z0-9]*|[a-z0-9]+', feature: 'matches.camelWord' },
  { regex: '[A-Z]+-?[0-9]+', feature: 'matches.code' },
] as const
const MAX_SOURCES = 6
const MAX_DELIMITERS = 6
const MAX_MEMBERS = 8

/** A vector of lists as a key. */
export function listVectorKey(values: readonly (readonly Json[] | undefined)[]): string {
  return JSON.stringify(values)
}

/** The name that list programs bind to an item. */
export function itemVariable(depth: number): { readonly name: string; readonly expr: Expr } {
  const name = depth === 0 ? ITEM : `${ITEM}${depth + 1}`
  return { name, expr: { op: 'var', name } }
}

function splits(source: TextSource): ListNode[] {
  const out: ListNode[] = []
  for (const { name, pattern: by } of source.delimiters.slice(0, MAX_DELIMITERS)) {
    const cost = source.cost.with('split.list').with('split.list.character', name.length)
    out.push(fromText(source, cost, (text) => ({ op: 'split', text, by })))
    const dropped = fromText(source, source.cost.with('split.dropEmpty'), (text) => ({
      op: 'split',
      text,
      by: literalPattern(name),
      dropEmpty: true,
    }))
    out.push(dropped, trimmed(dropped))
  }
  for (const token of TOKENS) {
    const pattern = tokenPattern(token)
    const list = fromText(source, source.cost, (text) => ({ op: 'extractAll', text, pattern }))
    if (list.values.every((found) => found === undefined || found.length === 0)) continue
    out.push({
      ...list,
      cost: source.cost.with(
        token === 'digits' || token === 'number'
          ? 'matches.number'
          : token === 'upper'
            ? 'matches.upper'
            : 'matches.token',
      ),
    })
  }
  for (const { regex, feature } of REGEXES) {
    const compiled = new RegExp(regex, 'g')
    const found = source.texts.map((text) => (text === undefined ? undefined : [...(text.match(compiled) ?? [])]))
    if (found.every((list) => list === undefined || list.length === 0)) continue
    out.push({
      expr: { op: 'extractAll', text: source.expr, pattern: { kind: 'regex', regex } },
      cost: source.cost.with(feature),
      values: found,
    })
  }
  out.push(fromText(source, source.cost.with('characters'), (text) => ({ op: 'chars', text })))
  return out
}

/** A list that an operator makes of a value, as the language evaluates it. */
function listOf(build: (of: Expr) => Expr): (value: Json) => readonly Json[] | undefined {
  const evaluate = evaluatorOf(build(INPUT))
  return (value) => {
    const answer = evaluate(value)
    return Array.isArray(answer) ? answer : undefined
  }
}

function fromText(source: TextSource, cost: Cost, build: (text: Expr) => Expr): ListNode {
  return textList({ expr: source.expr, values: source.texts }, cost, build)
}

/** A list that an operator makes of a text. */
export function textList(
  source: { readonly expr: Expr; readonly values: readonly (string | undefined)[] },
  cost: Cost,
  build: (text: Expr) => Expr,
): ListNode {
  return { expr: build(source.expr), cost, values: mapValues(source.values, listOf(build)) }
}

function trimItems(list: Expr): Expr {
  const { name, expr } = itemVariable(0)
  return { op: 'map', list, as: name, body: { op: 'trim', text: expr } }
}

function trimmed(list: ListNode): ListNode {
  return {
    expr: trimItems(list.expr),
    cost: list.cost.with('map.trim'),
    values: mapValues(list.values, listOf(trimItems)),
  }
}

/** The list with its texts read as numbers. */
function asNumbers(list: ListNode): ListNode[] {
  const read = list.values.map((items) =>
    items?.map((item) => (typeof item === 'string' ? readPlainNumber(item) : undefined)),
  )
  if (!read.some((items) => items !== undefined && items.length > 1)) return []
  const numbers = read.map((items) => (items?.every((item) => item !== undefined) === true ? items : undefined))
  if (numbers.some((items, row) => items === undefined && list.values[row] !== undefined)) return []
  const { name, expr } = itemVariable(0)
  const values = numbers.map((items) => items?.map((item) => item ?? 0))
  return [
    {
      expr: { op: 'map', list: list.expr, as: name, body: { op: 'toNumber', of: expr } },
      cost: list.cost.with(list.expr.op === 'extractAll' ? 'map.matchToNumber' : 'map.toNumber'),
      values,
    },
  ]
}

/** Lists of one member of each object in a list. */
function members(list: ListNode): ListNode[] {
  const names = new Set<string>()
  for (const items of list.values) {
    for (const item of items ?? []) if (isJsonObject(item)) for (const name of Object.keys(item)) names.add(name)
  }
  const variable = itemVariable(0)
  return [...names].slice(0, MAX_MEMBERS).map((name) => ({
    expr: { op: 'map', list: list.expr, as: variable.name, body: { op: 'field', of: variable.expr, name } },
    cost: list.cost.with('map.member'),
    values: list.values.map((items) => {
      const picked: Json[] = []
      for (const item of items ?? []) {
        const value = isJsonObject(item) && Object.hasOwn(item, name) ? item[name] : undefined
        if (value === undefined) return undefined
        picked.push(value)
      }
      return items === undefined ? undefined : picked
    }),
  }))
}

/** The objects of a list for which a truth value among their members holds, or does not. */
function flagged(list: ListNode): ListNode[] {
  const { name, expr } = itemVariable(0)
  const flags = new Set<string>()
  for (const items of list.values) {
    for (const item of items ?? []) {
      if (!isJsonObject(item)) continue
      for (const [member, value] of Object.entries(item)) if (typeof value === 'boolean') flags.add(member)
    }
  }
  return [...flags].slice(0, MAX_MEMBERS).flatMap((flag) => {
    const where: Expr = { op: 'field', of: expr, name: flag }
    const isHeld = (item: Json) => isJsonObject(item) && item[flag] === true
    return [
      {
        expr: { op: 'filter', list: list.expr, as: name, where } as const,
        cost: list.cost.with('filter.flag'),
        values: list.values.map((items) => items?.filter(isHeld)),
      },
      {
        expr: { op: 'filter', list: list.expr, as: name, where: { op: 'not', of: where } } as const,
        cost: list.cost.with('filter.notFlag'),
        values: list.values.map((items) => items?.filter((item) => !isHeld(item))),
      },
    ]
  })
}

/** Lists of the product of two numbers of each object in a list: quantities times prices. */
function products(list: ListNode): ListNode[] {
  const numeric = members(list).flatMap((picked) => {
    const body = picked.expr.op === 'map' ? picked.expr.body : undefined
    const isNumeric = picked.values.some(
      (items) => (items?.length ?? 0) > 0 && items?.every((item) => typeof item === 'number'),
    )
    return body !== undefined && isNumeric ? [{ body, values: picked.values }] : []
  })
  const { name } = itemVariable(0)
  return numeric.flatMap((a, i) =>
    numeric.slice(i + 1).map((b) => ({
      expr: { op: 'map', list: list.expr, as: name, body: { op: 'mul', left: a.body, right: b.body } } as const,
      cost: list.cost.with('map.product'),
      values: a.values.map((items, row) =>
        items?.map((x, at) => {
          const y = b.values[row]?.[at]
          return typeof x === 'number' && typeof y === 'number' ? (calculate('mul', x, y) ?? null) : null
        }),
      ),
    })),
  )
}

function keysAndValues(scope: Scope): ListNode[] {
  const out: ListNode[] = []
  for (const { expr, cost, values } of scope.roots.slice(0, 6)) {
    if (!values.some((value) => isJsonObject(value))) continue
    for (const op of ['keys', 'values'] as const) {
      out.push({
        expr: { op, of: expr },
        cost: cost.with(op),
        values: mapValues(
          values,
          listOf((of) => ({ op, of })),
        ),
      })
    }
  }
  return out
}

/** The texts among several members of one object that are there and not empty. */
function nonEmptyTogether(scope: Scope): ListNode[] {
  const fields = scope.roots.filter(
    ({ expr, values }) =>
      expr.op === 'field' &&
      values.some((value) => typeof value === 'string') &&
      shownOf(values, scope.shown).every((value) => typeof value === 'string' || value === null),
  )
  if (fields.length < 2 || fields.length > 8) return []
  if (!fields.some(({ values }) => values.includes('') || values.includes(null))) return []
  const { name, expr } = itemVariable(0)
  return [
    {
      expr: {
        op: 'filter',
        list: { op: 'list', items: fields.map((field) => field.expr) },
        as: name,
        where: { op: 'not', of: { op: 'isEmpty', of: expr } },
      },
      cost: costOf('list.nonEmptyMembers').with('list.member', fields.length),
      values: Array.from({ length: scope.count }, (_, row) =>
        fields.map(({ values }) => values[row] ?? null).filter((value) => value !== '' && value !== null),
      ),
    },
  ]
}

/** Lists of several members of one object, for the operators that take a list. */
function together(scope: Scope): ListNode[] {
  const out: ListNode[] = []
  for (const group of [scope.texts, scope.numbers]) {
    const fields = group.filter(({ expr }) => expr.op === 'field')
    if (fields.length < 2 || fields.length > 8) continue
    out.push({
      expr: { op: 'list', items: fields.map(({ expr }) => expr) },
      cost: costOf('list.members').with('list.member', fields.length),
      values: Array.from({ length: scope.count }, (_, row) => {
        const items: Json[] = []
        for (const { values } of fields) {
          const value = values[row]
          if (value === undefined) return undefined
          items.push(value)
        }
        return items
      }),
    })
  }
  return out
}

/** The lists that programs start from: lists of the input, splits and matches of its texts, members of its objects. */
export function baseLists(scope: Scope, sources: readonly TextSource[]): ListNode[] {
  const pool = new NodePool<readonly Json[]>(listVectorKey, scope.shown)
  for (const list of scope.lists) {
    pool.add(list)
    for (const objects of [list, ...flagged(list)]) {
      for (const picked of [objects, ...members(objects), ...products(objects)]) pool.add(picked)
    }
  }
  for (const source of sources.slice(0, MAX_SOURCES)) for (const list of splits(source)) pool.add(list)
  for (const list of [...keysAndValues(scope), ...together(scope), ...nonEmptyTogether(scope)]) pool.add(list)
  for (const list of pool.best()) for (const numbers of asNumbers(list)) pool.add(numbers)
  return pool.best().toSorted(byCost)
}

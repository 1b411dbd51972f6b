import type { Json } from '../../../kernel/json/json.ts'
import type { ListExpr } from '../ast.ts'
import { compareTexts, itemAt, sizeOfJson, uniqueItems } from '../primitives/values/json-values.ts'
import { booleanOf, type Compiler, jsonOf, listOf, numberOf } from './compiler.ts'
import { failure, found, type Frame, reserve, reserveItems, spend, type Step } from './frame.ts'

/** Compiles an expression over one item of a list; the item costs 1 fuel. */
function overItem<T>(
  compiler: Compiler,
  name: string,
  compile: (inner: Compiler) => Step<T>,
): (frame: Frame, item: Json) => T {
  const { inner, slot } = compiler.bind(name)
  const body = compile(inner)
  return (frame, item) => {
    spend(frame, 1)
    frame.bound[slot] = item
    return body(frame)
  }
}

type Key = string | number

/** Sorts by keys that are all numbers or all texts. Stable. */
function sortByKeys(
  frame: Frame,
  list: readonly Json[],
  keys: readonly Json[],
  descending: boolean,
  op: string,
): Json[] {
  const isNumbers = keys.every((key) => typeof key === 'number')
  if (!isNumbers && !keys.every((key) => typeof key === 'string')) throw failure('type_mismatch', op)
  reserveItems(frame, list.length)
  spend(frame, list.length)
  const compare = (left: Key, right: Key): number =>
    typeof left === 'number' && typeof right === 'number' ? left - right : compareTexts(String(left), String(right))
  const keyAt = (index: number): Key => {
    const key = keys[index]
    return typeof key === 'number' || typeof key === 'string' ? key : 0
  }
  const direction = descending ? -1 : 1
  return list
    .map((_item, index) => index)
    .sort((left, right) => direction * compare(keyAt(left), keyAt(right)) || left - right)
    .map((index) => list[index] ?? null)
}

function compileTake(compiler: Compiler, node: ListExpr & { op: 'take' | 'drop' }): Step {
  const list = listOf(compiler, node.list, node.op)
  const count = numberOf(compiler, node.count, node.op)
  const isTake = node.op === 'take'
  const outOfRange = failure('out_of_range', node.op)
  return (frame) => {
    const items = list(frame)
    const wanted = count(frame)
    if (!Number.isInteger(wanted)) throw outOfRange
    reserveItems(frame, items.length)
    const fromEnd = Math.max(0, items.length + wanted)
    if (isTake) return wanted >= 0 ? items.slice(0, wanted) : items.slice(fromEnd)
    return wanted >= 0 ? items.slice(wanted) : items.slice(0, fromEnd)
  }
}

/** Compiles an operator on lists. */
export function compileList(compiler: Compiler, node: ListExpr): Step {
  switch (node.op) {
    case 'list': {
      const items = node.items.map((item) => jsonOf(compiler, item, 'list'))
      return (frame) => {
        reserveItems(frame, items.length)
        return items.map((item) => item(frame))
      }
    }
    case 'nth': {
      const list = listOf(compiler, node.list, 'nth')
      const { index } = node
      const missing = failure('missing', 'nth')
      return (frame) => found(itemAt(list(frame), index), missing)
    }
    case 'map': {
      const list = listOf(compiler, node.list, 'map')
      const body = overItem(compiler, node.as, (inner) => jsonOf(inner, node.body, 'map'))
      return (frame) => {
        const items = list(frame)
        reserveItems(frame, items.length)
        return items.map((item) => body(frame, item))
      }
    }
    case 'filter':
    case 'any':
    case 'all': {
      const list = listOf(compiler, node.list, node.op)
      const where = overItem(compiler, node.as, (inner) => booleanOf(inner, node.where, node.op))
      if (node.op === 'any') return (frame) => list(frame).some((item) => where(frame, item))
      if (node.op === 'all') return (frame) => list(frame).every((item) => where(frame, item))
      return (frame) => {
        const items = list(frame)
        reserveItems(frame, items.length)
        return items.filter((item) => where(frame, item))
      }
    }
    case 'sort': {
      const list = listOf(compiler, node.list, 'sort')
      const descending = node.descending ?? false
      return (frame) => {
        const items = list(frame)
        return sortByKeys(frame, items, items, descending, 'sort')
      }
    }
    case 'sortBy': {
      const list = listOf(compiler, node.list, 'sortBy')
      const key = overItem(compiler, node.as, (inner) => jsonOf(inner, node.key, 'sortBy'))
      const descending = node.descending ?? false
      return (frame) => {
        const items = list(frame)
        reserveItems(frame, items.length)
        const keys = items.map((item) => key(frame, item))
        return sortByKeys(frame, items, keys, descending, 'sortBy')
      }
    }
    case 'unique': {
      const list = listOf(compiler, node.list, 'unique')
      return (frame) => {
        const items = list(frame)
        reserveItems(frame, items.length)
        for (const item of items) reserve(frame, sizeOfJson(item, frame.room))
        return uniqueItems(items)
      }
    }
    case 'take':
    case 'drop':
      return compileTake(compiler, node)
    case 'append': {
      const lists = node.lists.map((list) => listOf(compiler, list, 'append'))
      return (frame) => {
        const out: Json[] = []
        for (const list of lists) {
          const items = list(frame)
          reserveItems(frame, items.length)
          for (const item of items) out.push(item)
        }
        return out
      }
    }
  }
}

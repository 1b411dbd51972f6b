import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import { COMPOSITE_BOUNDS } from './bounds.ts'
import type { Path, Place } from './places.ts'

/** The form of outputs. Leaves are what is learned; the other nodes only arrange their values. */
export type Shape =
  | { readonly node: 'leaf' }
  | { readonly node: 'object'; readonly members: readonly { readonly name: string; readonly value: Shape }[] }
  | { readonly node: 'list'; readonly items: readonly Shape[] }
  /** A value that is not always there: its member is missing, or it is null. */
  | { readonly node: 'optional'; readonly absent: 'missing' | 'null'; readonly value: Shape }

/** Items of a list that is solved item by item, at most. */
const MAX_ITEMS = 16
/** Names of members of one object, at most; more are data rather than structure. */
const MAX_NAMES = 64
/** Outputs that must have a member before it counts as a part of the structure. */
const LEAST_SEEN = 2

const LEAF: Shape = { node: 'leaf' }

/**
 * Infers the form of outputs. Objects with the same or mostly the same members are divided into the members, lists of one
 * length into their items. Members that are missing in some outputs are optional, and so are values that are sometimes
 * null, unless null is one of few labels. Everything else is a leaf.
 */
export function inferShape(outputs: readonly Json[]): Shape {
  return shapeAt(outputs, 0)
}

function shapeAt(values: readonly Json[], depth: number): Shape {
  if (depth >= COMPOSITE_BOUNDS.depth - 2) return LEAF
  const given = values.filter((value) => value !== null)
  if (given.length === 0) return LEAF
  if (given.length < values.length) {
    if (detectLabelTask(values).applicable) return LEAF
    return { node: 'optional', absent: 'null', value: shapeAt(given, depth + 1) }
  }
  const objects = given.filter(isJsonObject)
  if (objects.length === given.length) return objectShape(objects, depth)
  const lists = given.filter((value): value is readonly Json[] => Array.isArray(value))
  return lists.length === given.length ? listShape(lists, depth) : LEAF
}

function objectShape(objects: readonly { readonly [name: string]: Json }[], depth: number): Shape {
  const found = new Map<string, Json[]>()
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const values = found.get(name)
      if (values === undefined) found.set(name, [value])
      else values.push(value)
    }
    if (found.size > MAX_NAMES) return LEAF
  }
  if (found.size === 0) return LEAF
  if ([...found.values()].some(({ length }) => length < Math.min(LEAST_SEEN, objects.length))) return LEAF
  return {
    node: 'object',
    // In one order, so that equal rows give one recipe however their members are written.
    members: [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, values]) => {
        const isAlways = values.length === objects.length
        const value = shapeAt(values, depth + (isAlways ? 1 : 2))
        return { name, value: isAlways ? value : { node: 'optional', absent: 'missing', value } }
      }),
  }
}

function listShape(lists: readonly (readonly Json[])[], depth: number): Shape {
  const length = lists[0]?.length ?? 0
  if (length === 0 || length > MAX_ITEMS || lists.some((list) => list.length !== length)) return LEAF
  const items = Array.from({ length }, (_, at) =>
    shapeAt(
      lists.map((list) => list[at] ?? null),
      depth + 1,
    ),
  )
  return { node: 'list', items }
}

/** A leaf of a form, and whether it stands under an optional node. */
export interface ShapeLeaf extends Place {
  readonly isOptional: boolean
}

/** Lists the leaves of a form in its order; an optional node has one for its presence before those of its value. */
export function leavesOf(shape: Shape): readonly ShapeLeaf[] {
  const walk = (node: Shape, path: Path, isOptional: boolean): readonly ShapeLeaf[] => {
    switch (node.node) {
      case 'leaf':
        return [{ path, part: 'value', isOptional }]
      case 'object':
        return node.members.flatMap(({ name, value }) => walk(value, [...path, name], isOptional))
      case 'list':
        return node.items.flatMap((item, at) => walk(item, [...path, at], isOptional))
      case 'optional':
        return [{ path, part: 'present', isOptional }, ...walk(node.value, path, true)]
    }
  }
  return walk(shape, [], false)
}

/**
 * Reads the value of each leaf out of an output, in the order of `leavesOf`. A leaf has none (undefined) where an optional
 * value is absent or the output has another form.
 */
export function readLeaves(shape: Shape, output: Json): readonly (Json | undefined)[] {
  return readNode(shape, output)
}

/** `value` is undefined where there is none. */
function readNode(node: Shape, value: Json | undefined, isMember = false): readonly (Json | undefined)[] {
  switch (node.node) {
    case 'leaf':
      return [value]
    case 'object':
      return node.members.flatMap(({ name, value: inner }) =>
        readNode(
          inner,
          isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
          isJsonObject(value),
        ),
      )
    case 'list': {
      const items: readonly Json[] = Array.isArray(value) && value.length === node.items.length ? value : []
      return node.items.flatMap((item, at) => readNode(item, items[at]))
    }
    case 'optional': {
      if (node.absent === 'missing') {
        return [isMember ? value !== undefined : undefined, ...readNode(node.value, value)]
      }
      const present = value === undefined ? undefined : value !== null
      return [present, ...readNode(node.value, value ?? undefined)]
    }
  }
}

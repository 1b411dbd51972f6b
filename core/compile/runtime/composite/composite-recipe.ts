import { z } from 'zod'
import { Hash } from '../../../ledger/wire/fields.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import { TabularRecipe } from '../../../model/tabular/recipe/tabular-recipe.ts'
import { COMPOSITE_BOUNDS } from './bounds.ts'
import { describePlace, memberOf, type Place } from './places.ts'
import { leavesOf, type Shape } from './shape.ts'
import { readingOf } from './reading.ts'

const AnyObject = z.custom<JsonObject>((value) => isJsonObject(value as Json), 'expected an object')
const Reads = z.array(z.string()).max(COMPOSITE_BOUNDS.reads)
const Weights = z.strictObject({ member: z.string(), sha256: Hash, size_bytes: z.int().nonnegative() })

/** Source of the value of one leaf. `reads` are pointers of other leaves, whose answers are given beside the input. */
const LeafRecipe = z.discriminatedUnion('by', [
  z.strictObject({
    node: z.literal('leaf'),
    kind: z.literal('program'),
    by: z.literal('program'),
    reads: Reads,
    program: AnyObject,
  }),
  z.strictObject({
    node: z.literal('leaf'),
    kind: z.literal('label'),
    by: z.literal('classifier'),
    reads: Reads,
    classifier: AnyObject,
    weights: Weights,
  }),
  z.strictObject({
    node: z.literal('leaf'),
    kind: z.enum(['label', 'labels', 'number']),
    by: z.literal('tabular'),
    reads: Reads,
    tabular: TabularRecipe,
    weights: Weights,
  }),
])
export type LeafRecipe = z.infer<typeof LeafRecipe>
/** Kinds of a leaf, cheapest first. */
export const LEAF_KINDS = ['program', 'label', 'labels', 'number'] as const satisfies readonly LeafRecipe['kind'][]

/** A node of a composite: a leaf, or what arranges the values of leaves. */
export type CompositeNode =
  | LeafRecipe
  | { readonly node: 'object'; readonly members: readonly { readonly name: string; readonly value: CompositeNode }[] }
  | { readonly node: 'list'; readonly items: readonly CompositeNode[] }
  | {
      readonly node: 'optional'
      readonly absent: 'missing' | 'null'
      readonly present: LeafRecipe
      readonly value: CompositeNode
    }

const Node: z.ZodType<CompositeNode> = z.lazy(() =>
  z.union([
    LeafRecipe,
    z.strictObject({
      node: z.literal('object'),
      members: z.array(z.strictObject({ name: z.string().max(COMPOSITE_BOUNDS.name), value: Node })),
    }),
    z.strictObject({ node: z.literal('list'), items: z.array(Node) }),
    z.strictObject({
      node: z.literal('optional'),
      absent: z.enum(['missing', 'null']),
      present: LeafRecipe,
      value: Node,
    }),
  ]),
)

const CompositeRecipe = z.strictObject({ format: z.literal('svc-composite-1'), root: Node })

/** A leaf with its place. */
export interface PlacedLeaf extends Place {
  readonly leaf: LeafRecipe
  /** The member with its weights; null for a program. */
  readonly weights: z.infer<typeof Weights> | null
}

/** A composite recipe that was checked. */
export interface ParsedComposite {
  readonly root: CompositeNode
  readonly shape: Shape
  /** In the order of `leavesOf`. */
  readonly leaves: readonly PlacedLeaf[]
  /** By the number of a leaf, the leaves that it reads by their pointers. */
  readonly reads: readonly ReadonlyMap<string, number>[]
}

/**
 * Checks a composite recipe: its form, its depth and number of leaves, the names of its members of weights, and that its
 * leaves do not refer to each other in a circle. Throws `recipe_failed` that names what is wrong.
 */
export function parseComposite(recipe: Json): ParsedComposite {
  checkBounds(isJsonObject(recipe) ? recipe['root'] : undefined)
  const parsed = CompositeRecipe.safeParse(recipe)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
    throw refused(`is not well formed${where}: ${issue?.message ?? 'unknown'}`, parsed.error)
  }
  const { root } = parsed.data
  checkArrangement(root)
  const shape = shapeOf(root)
  const recipes = leafRecipes(root)
  const leaves = leavesOf(shape).flatMap((place, i): PlacedLeaf[] => {
    const leaf = recipes[i]
    return leaf === undefined ? [] : [{ ...place, leaf, weights: 'weights' in leaf ? leaf.weights : null }]
  })
  for (const one of leaves) checkLeaf(one)
  return { root, shape, leaves, reads: readingOf(leavesOf(shape), recipes) }
}

function refused(what: string, cause?: unknown): Error {
  return MODEL_ERRORS.recipe_failed(`composite recipe ${what}`, { cause })
}

/** Bounds depth and number of leaves before anything walks the tree by recursion. */
function checkBounds(root: Json | undefined): void {
  const open: { readonly node: Json | undefined; readonly depth: number }[] = [{ node: root, depth: 1 }]
  let leaves = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { node, depth } = at
    if (depth > COMPOSITE_BOUNDS.depth) throw refused(`is deeper than ${COMPOSITE_BOUNDS.depth} nodes`)
    if (!isJsonObject(node)) continue
    const { members, items, value, present } = node
    if (node['node'] === 'leaf') leaves++
    if (leaves > COMPOSITE_BOUNDS.leaves) throw refused(`has more than ${COMPOSITE_BOUNDS.leaves} leaves`)
    const below = [
      ...(Array.isArray(members) ? members.map((one: Json) => (isJsonObject(one) ? one['value'] : undefined)) : []),
      ...(Array.isArray(items) ? items : []),
      ...(node['node'] === 'optional' ? [value, present] : []),
    ]
    for (const inner of below) open.push({ node: inner, depth: depth + 1 })
  }
}

/** No member stands twice, and only a member can be missing. */
function checkArrangement(node: CompositeNode, isMember = false): void {
  if (node.node === 'object') {
    if (new Set(node.members.map(({ name }) => name)).size < node.members.length)
      throw refused('has a member that stands twice')
    for (const { value } of node.members) checkArrangement(value, true)
  } else if (node.node === 'list') {
    for (const item of node.items) checkArrangement(item)
  } else if (node.node === 'optional') {
    if (node.absent === 'missing' && !isMember) throw refused('has a missing value that is no member of an object')
    checkArrangement(node.value)
  }
}

/** The form of a composite's answers. */
export function shapeOf(node: CompositeNode): Shape {
  switch (node.node) {
    case 'leaf':
      return { node: 'leaf' }
    case 'object':
      return {
        node: 'object',
        members: node.members.map(({ name, value }) => ({ name, value: shapeOf(value) })),
      }
    case 'list':
      return { node: 'list', items: node.items.map(shapeOf) }
    case 'optional':
      return { node: 'optional', absent: node.absent, value: shapeOf(node.value) }
  }
}

function leafRecipes(node: CompositeNode): readonly LeafRecipe[] {
  switch (node.node) {
    case 'leaf':
      return [node]
    case 'object':
      return node.members.flatMap(({ value }) => leafRecipes(value))
    case 'list':
      return node.items.flatMap(leafRecipes)
    case 'optional':
      return [node.present, ...leafRecipes(node.value)]
  }
}

function checkLeaf({ leaf, weights, ...place }: PlacedLeaf): void {
  const name = describePlace(place)
  if (weights !== null && weights.member !== memberOf(place)) {
    throw refused(`names ${weights.member} for ${name}, whose digest gives ${memberOf(place)}`)
  }
  if (leaf.by === 'tabular' && leaf.tabular.target.kind !== leaf.kind) {
    throw refused(`has the kind ${leaf.kind} for ${name}, and a model that answers ${leaf.tabular.target.kind}`)
  }
}

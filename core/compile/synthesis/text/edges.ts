import type { Expr } from '../../language/ast.ts'
import { literal, slice } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import type { TextNode } from '../search/node.ts'
import { constantCost, type ConstantCosts } from './constants.ts'
import type { PositionVector } from './positions.ts'
import type { TextSource } from './source.ts'
import { costOf, type Cost } from '../ranking/cost.ts'
import { missingCost, missingOf, type WorkingRows } from '../search/unlabelled.ts'

/** A part of the output: its expression, its text on every working row, and its end on the rows of the cluster. */
export interface Edge {
  readonly expr: Expr
  readonly cost: Cost
  readonly isConstant: boolean
  readonly values: () => readonly (string | undefined)[]
  readonly ends: readonly number[]
  /** The unlabelled inputs on which it has no value, as bits. */
  readonly missing: number
  /** The part of a source that a slice takes. */
  readonly span?: Span
}

/** A part of a source between two of its positions. */
export interface Span {
  readonly source: TextSource
  readonly from: PositionVector
  readonly until: PositionVector
}

/** A source text vector with the positions by which it can be sliced. */
export interface SlicedSource {
  readonly source: TextSource
  readonly positions: readonly PositionVector[]
}

/** Parts that are found from the output backwards (numbers, for one): given the starts, where they can end. */
export type Witness = (
  rows: readonly number[],
  starts: readonly number[],
  budget: Budget,
) => readonly Omit<Edge, 'missing'>[]

/** Possible parts of a concatenation. */
export interface EdgeSources {
  /** One for each row with a target. */
  readonly outputs: readonly string[]
  readonly rows: WorkingRows
  readonly nodes: readonly TextNode[]
  readonly sliced: readonly SlicedSource[]
  readonly witnesses: readonly Witness[]
}

/** A part between two places, and one whose places are fields. */
const SLICE = costOf('slice')
const FIELDS = costOf('slice.fields')
const MAX_PER_END = 3
const MAX_RIVALS_PER_END = 8

interface Kept {
  readonly edge: Edge
  readonly total: number
  /** Its values on the unlabelled inputs. */
  readonly behaviour: string
}

/**
 * Collects the edges that leave one state; of those that end at the same places the cheapest are kept, one for each
 * behaviour on the unlabelled inputs where there are such: the posterior needs rivals rather than copies.
 */
class EdgeSet {
  readonly #byEnd = new Map<string, Kept[]>()
  readonly #rows: WorkingRows
  readonly #isOpen: boolean
  readonly #limit: number

  constructor(rows: WorkingRows) {
    this.#rows = rows
    this.#isOpen = rows.count > rows.shown
    this.#limit = this.#isOpen ? MAX_RIVALS_PER_END : MAX_PER_END
  }

  /** Returns true when an edge of this total cost, or more, may be kept. */
  wants(key: string, total: number): boolean {
    const known = this.#byEnd.get(key)
    return known === undefined || known.length < this.#limit || (known.at(-1)?.total ?? 0) > total
  }

  add(key: string, edge: Edge): void {
    const total = edge.cost.total + missingCost(edge.missing, this.#rows).total
    if (!this.wants(key, total)) return
    const behaviour = this.#isOpen ? behaviourOf(edge.values(), this.#rows.shown) : ''
    const known = this.#byEnd.get(key)
    if (known === undefined) {
      this.#byEnd.set(key, [{ edge, total, behaviour }])
      return
    }
    if (this.#isOpen) {
      const alike = known.findIndex((one) => one.behaviour === behaviour)
      if (alike >= 0 && (known[alike]?.total ?? 0) <= total) return
      if (alike >= 0) known.splice(alike, 1)
    }
    let at = known.length
    while (at > 0 && (known[at - 1]?.total ?? 0) > total) at--
    if (at < this.#limit) known.splice(at, 0, { edge, total, behaviour })
    if (known.length > this.#limit) known.pop()
  }

  all(): Edge[] {
    return [...this.#byEnd.values()].flatMap((kept) => kept.map(({ edge }) => edge))
  }
}

/** A key that two vectors share only when they are equal on the unlabelled inputs. */
export function behaviourOf(values: readonly (string | undefined)[], shown: number): string {
  let key = ''
  for (let row = shown; row < values.length; row++) key += `${values[row] ?? '\u0001'}\u0000`
  return key
}

function addNodeEdges(
  set: EdgeSet,
  input: EdgeSources,
  rows: readonly number[],
  starts: readonly number[],
  budget: Budget,
) {
  const { outputs, nodes } = input
  const size = rows.length
  budget.spend(nodes.length >> 2)
  for (const node of nodes) {
    const ends: number[] = []
    let isMoving = false
    for (let i = 0; i < size; i++) {
      const row = rows[i] ?? 0
      const value = node.values[row]
      const start = starts[i] ?? 0
      if (value === undefined || !(outputs[row] ?? '').startsWith(value, start)) break
      if (value.length > 0) isMoving = true
      ends.push(start + value.length)
    }
    if (ends.length < size || !isMoving) continue
    set.add(ends.join(), {
      expr: node.expr,
      cost: node.cost,
      isConstant: false,
      values: () => node.values,
      ends,
      missing: missingOf(node.values, input.rows),
    })
  }
}

function addSliceEdges(
  set: EdgeSet,
  input: EdgeSources,
  rows: readonly number[],
  starts: readonly number[],
  budget: Budget,
) {
  const size = rows.length
  for (const { source, positions } of input.sliced) {
    budget.spend(positions.length >> 2)
    for (const from of positions) {
      const reach: number[] = []
      const begin: number[] = []
      for (let i = 0; i < size; i++) {
        const row = rows[i] ?? 0
        const at = from.at[row] ?? -1
        const text = source.texts[row]
        if (text === undefined || at < 0) break
        const output = input.outputs[row] ?? ''
        let to = at
        let outputAt = starts[i] ?? 0
        while (to < text.length && outputAt < output.length && text.charCodeAt(to) === output.charCodeAt(outputAt)) {
          to++
          outputAt++
        }
        if (to === at) break
        begin.push(at)
        reach.push(to)
      }
      if (reach.length < size) continue
      budget.spend(positions.length >> 2)
      for (const until of positions) {
        const ends: number[] = []
        for (let i = 0; i < size; i++) {
          const at = begin[i] ?? 0
          const to = until.at[rows[i] ?? 0] ?? -1
          if (to <= at || to > (reach[i] ?? 0)) break
          ends.push((starts[i] ?? 0) + to - at)
        }
        if (ends.length < size) continue
        const isField = from.isField && until.isField
        const part = isField ? FIELDS : SLICE
        const key = ends.join()
        if (!set.wants(key, source.cost.total + part.total + from.cost.total + until.cost.total)) continue
        set.add(key, {
          expr: slice(source.expr, from.pos, until.pos),
          cost: source.cost.plus(part).plus(from.cost).plus(until.cost),
          isConstant: false,
          values: () => sliceAll(source, from, until),
          ends,
          missing: missingInSlice(source, from, until, input.rows),
          span: { source, from, until },
        })
      }
    }
  }
}

/** The unlabelled inputs on which a slice has no value, as bits. */
function missingInSlice(
  { texts }: TextSource,
  from: PositionVector,
  until: PositionVector,
  { shown, count }: WorkingRows,
): number {
  let missing = 0
  for (let row = shown; row < count; row++) {
    const start = from.at[row] ?? -1
    const end = until.at[row] ?? -1
    if (texts[row] === undefined || start < 0 || end < start) missing |= 1 << (row - shown)
  }
  return missing
}

function sliceAll(source: TextSource, from: PositionVector, until: PositionVector): (string | undefined)[] {
  return source.texts.map((text, row) => {
    const start = from.at[row] ?? -1
    const end = until.at[row] ?? -1
    return text === undefined || start < 0 || end < start ? undefined : text.slice(start, end)
  })
}

const CLASS_BOUNDARY =
  /(?<=[^\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}])|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})|(?<=\p{Ll})(?=\p{Lu})/gu

function constantLengths(shared: string): number[] {
  const lengths = new Set<number>([shared.length])
  for (let length = 1; length <= Math.min(3, shared.length); length++) lengths.add(length)
  for (const match of shared.matchAll(CLASS_BOUNDARY)) lengths.add(match.index)
  lengths.delete(0)
  return [...lengths]
}

function addConstantEdges(
  set: EdgeSet,
  input: EdgeSources,
  rows: readonly number[],
  starts: readonly number[],
  costs: ConstantCosts,
) {
  let shared = (input.outputs[rows[0] ?? 0] ?? '').slice(starts[0] ?? 0)
  for (let i = 1; i < rows.length && shared !== ''; i++) {
    const output = input.outputs[rows[i] ?? 0] ?? ''
    const start = starts[i] ?? 0
    let length = 0
    while (length < shared.length && shared.charCodeAt(length) === output.charCodeAt(start + length)) length++
    shared = shared.slice(0, length)
  }
  for (const length of constantLengths(shared)) {
    const text = shared.slice(0, length)
    const ends = starts.map((start) => start + length)
    const values = Array.from({ length: input.rows.count }, () => text)
    set.add(ends.join(), {
      expr: literal(text),
      cost: constantCost(text, costs),
      isConstant: true,
      values: () => values,
      ends,
      missing: 0,
    })
  }
}

/** Every part of the output that can start at `starts` on all of `rows`. */
export function edgesFrom(
  input: EdgeSources,
  rows: readonly number[],
  starts: readonly number[],
  costs: ConstantCosts,
  budget: Budget,
): Edge[] {
  const set = new EdgeSet(input.rows)
  addNodeEdges(set, input, rows, starts, budget)
  addConstantEdges(set, input, rows, starts, costs)
  for (const witness of input.witnesses) {
    for (const edge of witness(rows, starts, budget))
      set.add(edge.ends.join(), { ...edge, missing: missingOf(edge.values(), input.rows) })
  }
  addSliceEdges(set, input, rows, starts, budget)
  return set.all()
}

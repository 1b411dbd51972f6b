import { concat } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import { Heap } from '../search/heap.ts'
import { roundingOf } from '../numbers/rounding-of.ts'
import type { TextNode } from '../search/node.ts'
import { sharedRuns } from './constants.ts'
import { edgesFrom, type Edge, type EdgeSources } from './edges.ts'

interface Path {
  readonly ends: readonly number[]
  readonly cost: number
  readonly edge: Edge | undefined
  readonly before: Path | undefined
}

/** Maximum cost of the other programs above the best one. */
const COST_SLACK = 3.5
const SEGMENT_COST = 0.4
/** Cost of two adjacent parts of inputs. */
const JUNCTION_COST = 0.6
/** A constant digit beside digits of an input breaks a number in two. */
const SPLIT_NUMBER_COST = 1.5
/** Discount of a slice that continues where the previous one ended. */
const CONTINUED_GAIN = 0.5
/** A number that is rounded in another way than one before it. */
const UNLIKE_ROUNDING_COST = 0.9
const MAX_SEGMENTS = 16

/**
 * Finds the cheapest concatenations that give the outputs of all of `rows`: the intersection of the rows' version
 * spaces, explored best first. A state is the position in each row's output; an edge is a part that fits every row.
 */
export function searchConcat(
  input: EdgeSources,
  rows: readonly number[],
  options: { readonly k: number; readonly maxCost: number },
  budget: Budget,
): TextNode[] {
  const outputs = rows.map((row) => input.outputs[row] ?? '')
  const goal = outputs.map((output) => output.length).join()
  const usable = input.nodes.filter((node) =>
    rows.every((row, i) => {
      const value = node.values[row]
      return value !== undefined && (outputs[i] ?? '').includes(value)
    }),
  )
  budget.spend(input.nodes.length >> 3)
  const cluster: EdgeSources = { ...input, nodes: usable }
  const copyable = sharedRuns(rows.map((row) => input.sliced.map(({ source }) => source.texts[row] ?? '').join('\n')))
  const costs = { support: rows.length, copyable }

  const edgesAt = new Map<string, Edge[]>()
  const pops = new Map<string, number>()
  const heap = new Heap<Path>()
  heap.push(0, { ends: rows.map(() => 0), cost: 0, edge: undefined, before: undefined })
  const found: TextNode[] = []
  let bound = options.maxCost
  for (;;) {
    const path = heap.pop()
    if (path === undefined || path.cost > bound) break
    const key = path.ends.join()
    if (key === goal) {
      found.push(programOf(path, input.outputs.length))
      if (found.length === 1) bound = Math.min(bound, path.cost + COST_SLACK)
      if (found.length >= options.k) break
      continue
    }
    const popped = (pops.get(key) ?? 0) + 1
    pops.set(key, popped)
    if (popped > options.k || segmentsOf(path) >= MAX_SEGMENTS) continue
    let edges = edgesAt.get(key)
    if (edges === undefined) {
      edges = edgesFrom(cluster, rows, path.ends, costs, budget)
      edgesAt.set(key, edges)
    }
    budget.spend(edges.length)
    for (const edge of edges) {
      if (edge.isConstant && path.edge?.isConstant === true) continue
      const cost =
        path.cost +
        edge.cost +
        junction(path.edge, edge) +
        brokenNumber(outputs[0] ?? '', path, edge) +
        unlikeRounding(path, edge) -
        continued(path, edge)
      if (cost <= bound) heap.push(cost, { ends: edge.ends, cost, edge, before: path })
    }
  }
  return found
}

function junction(before: Edge | undefined, edge: Edge): number {
  if (before === undefined) return 0
  return before.isConstant || edge.isConstant ? SEGMENT_COST : SEGMENT_COST + JUNCTION_COST
}

function continued(path: Path, { span }: Edge): number {
  if (span === undefined) return 0
  const before = path.edge?.isConstant === true ? path.before?.edge?.span : path.edge?.span
  return before !== undefined && before.source === span.source && before.until === span.from ? CONTINUED_GAIN : 0
}

/** Two numbers in one output that are rounded in different ways, such as the ends of a range. */
function unlikeRounding(path: Path, edge: Edge): number {
  const own = roundingOf(edge.expr)
  if (own === undefined) return 0
  for (let at: Path | undefined = path; at?.edge !== undefined; at = at.before) {
    const other = roundingOf(at.edge.expr)
    if (other !== undefined && other !== own) return UNLIKE_ROUNDING_COST
  }
  return 0
}

function brokenNumber(output: string, { edge: before, ends }: Path, edge: Edge): number {
  if (before === undefined || before.isConstant === edge.isConstant) return 0
  return /^\d\d$/.test(output.slice((ends[0] ?? 0) - 1, (ends[0] ?? 0) + 1)) ? SPLIT_NUMBER_COST : 0
}

function segmentsOf(path: Path): number {
  let count = 0
  for (let at: Path | undefined = path; at?.edge !== undefined; at = at.before) count++
  return count
}

function programOf(path: Path, rowCount: number): TextNode {
  const edges: Edge[] = []
  for (let at: Path | undefined = path; at?.edge !== undefined; at = at.before) edges.unshift(at.edge)
  const columns = edges.map((edge) => edge.values())
  const values: (string | undefined)[] = []
  for (let row = 0; row < rowCount; row++) {
    let text: string | undefined = ''
    for (const column of columns) {
      const part: string | undefined = column[row]
      text = text === undefined || part === undefined ? undefined : text + part
    }
    values.push(text)
  }
  return { expr: concat(edges.map((edge) => edge.expr)), cost: path.cost, values }
}

import { concat } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import { Heap } from '../search/heap.ts'
import { roundingOf, unitOf } from '../numbers/rounding/rounding-of.ts'
import type { TextNode } from '../search/node.ts'
import { sharedRuns } from './constants.ts'
import { edgesFrom, type Edge, type EdgeSources } from './edges.ts'
import { missingCost } from '../search/unlabelled.ts'
import { Cost, costBound, costOf } from '../ranking/cost.ts'

interface Path {
  readonly ends: readonly number[]
  /** The total cost. */
  readonly total: number
  readonly edge: Edge | undefined
  readonly before: Path | undefined
  /** The unlabelled inputs on which a part of it has no value, as bits. */
  readonly missing: number
}

/** Costs between neighbours: two parts of inputs, and a part beside a constant. */
const BESIDE_CONSTANT = costOf('concat.segment')
const BESIDE_PART = costOf('concat.segment').with('concat.junction')
/** A constant digit beside digits of an input breaks a number in two. */
const SPLIT_NUMBER = costOf('concat.splitNumber')
/** A slice that continues where the previous one ended. */
const CONTINUED = costOf('concat.continued')
/** A number that is rounded in another way than one before it. */
const UNLIKE_ROUNDING = costOf('concat.unlikeRounding')
/** A number in a unit that does not fit the one before it. */
const UNLIKE_UNIT = costOf('concat.unlikeUnit')
const MAX_SEGMENTS = 16

/**
 * Finds the cheapest concatenations that give the outputs of all of `rows`: the intersection of the rows' version
 * spaces, explored best first. A state is the position in each row's output; an edge is a part that fits every row.
 */
export function searchConcat(input: EdgeSources, rows: readonly number[], k: number, budget: Budget): TextNode[] {
  const outputs = rows.map((row) => input.outputs[row] ?? '')
  const goal = outputs.map((output) => output.length).join()
  const usable = input.nodes.filter((node) =>
    rows.every((row, i) => {
      const value = node.values[row]
      return value !== undefined && (outputs[i] ?? '').includes(value)
    }),
  )
  budget.spend(input.nodes.length >> 3)
  // A program for some of the rows need not answer the unlabelled inputs.
  const { shown, count } = input.rows
  const working = rows.length === shown ? input.rows : { shown: count, count }
  const cluster: EdgeSources = { ...input, nodes: usable, rows: working }
  const copyable = sharedRuns(rows.map((row) => input.sliced.map(({ source }) => source.texts[row] ?? '').join('\n')))
  const costs = { support: rows.length, copyable }

  const costOfMissing = (missing: number) => missingCost(missing, working).total
  const edgesAt = new Map<string, Edge[]>()
  const pops = new Map<string, number>()
  const heap = new Heap<Path>()
  heap.push(0, { ends: rows.map(() => 0), total: 0, edge: undefined, before: undefined, missing: 0 })
  const found: TextNode[] = []
  let bound = costBound('concat.most')
  for (;;) {
    const path = heap.pop()
    if (path === undefined || path.total > bound) break
    const key = path.ends.join()
    if (key === goal) {
      found.push(programOf(path, outputs[0] ?? '', input.rows.count))
      if (found.length === 1) bound = Math.min(bound, path.total + costBound('concat.slack'))
      if (found.length >= k) break
      continue
    }
    const popped = (pops.get(key) ?? 0) + 1
    pops.set(key, popped)
    if (popped > k || segmentsOf(path) >= MAX_SEGMENTS) continue
    let edges = edgesAt.get(key)
    if (edges === undefined) {
      edges = edgesFrom(cluster, rows, path.ends, costs, budget)
      edgesAt.set(key, edges)
    }
    budget.spend(edges.length)
    for (const edge of edges) {
      if (edge.isConstant && path.edge?.isConstant === true) continue
      const missing = path.missing | edge.missing
      const added = missing === path.missing ? 0 : costOfMissing(missing) - costOfMissing(path.missing)
      const total = path.total + edge.cost.total + besides(outputs[0] ?? '', path, edge).total + added
      if (total <= bound) heap.push(total, { ends: edge.ends, total, edge, before: path, missing })
    }
  }
  return found
}

/** The cost of an edge after a path, beside its own. */
function besides(output: string, path: Path, edge: Edge): Cost {
  const before = path.edge
  if (before === undefined) return Cost.NONE
  return (before.isConstant || edge.isConstant ? BESIDE_CONSTANT : BESIDE_PART)
    .plus(breaksNumber(output, path, edge) ? SPLIT_NUMBER : Cost.NONE)
    .plus(isRoundedUnlike(path, edge) ? UNLIKE_ROUNDING : Cost.NONE)
    .plus(isOfUnlikeUnit(path, edge) ? UNLIKE_UNIT : Cost.NONE)
    .plus(continues(path, edge) ? CONTINUED : Cost.NONE)
}

function continues(path: Path, { span }: Edge): boolean {
  if (span === undefined) return false
  const before = path.edge?.isConstant === true ? path.before?.edge?.span : path.edge?.span
  return before !== undefined && before.source === span.source && before.until === span.from
}

/** Two numbers in one output that are rounded in different ways, such as the ends of a range. */
function isRoundedUnlike(path: Path, edge: Edge): boolean {
  const own = roundingOf(edge.expr)
  if (own === undefined) return false
  for (let at: Path | undefined = path; at?.edge !== undefined; at = at.before) {
    const other = roundingOf(at.edge.expr)
    if (other !== undefined && other !== own) return true
  }
  return false
}

/** Two parts of an amount in units of which neither is a multiple of the other: days by 25 hours, and the hours above 24. */
function isOfUnlikeUnit(path: Path, edge: Edge): boolean {
  const own = unitOf(edge.expr)
  if (own === undefined) return false
  for (let at: Path | undefined = path; at?.edge !== undefined; at = at.before) {
    const other = unitOf(at.edge.expr)
    if (other !== undefined && other % own !== 0 && own % other !== 0) return true
  }
  return false
}

function breaksNumber(output: string, { edge: before, ends }: Path, edge: Edge): boolean {
  if (before === undefined || before.isConstant === edge.isConstant) return false
  return /^\d\d$/.test(output.slice((ends[0] ?? 0) - 1, (ends[0] ?? 0) + 1))
}

function segmentsOf(path: Path): number {
  let count = 0
  for (let at: Path | undefined = path; at?.edge !== undefined; at = at.before) count++
  return count
}

function programOf(path: Path, output: string, rowCount: number): TextNode {
  const edges: Edge[] = []
  let cost = Cost.NONE
  for (let at: Path | undefined = path; at?.edge !== undefined; at = at.before) {
    edges.unshift(at.edge)
    cost = cost.plus(at.edge.cost)
    if (at.before !== undefined) cost = cost.plus(besides(output, at.before, at.edge))
  }
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
  return { expr: concat(edges.map((edge) => edge.expr)), cost, values }
}

/** @typedef {import('./overview.js').Graph} Graph */
/** @typedef {import('./overview.js').Node} Node */
/** @typedef {{ node: Node, x: number, y: number }} PlacedNode its upper left corner */
/** @typedef {{ from: string, to: string, path: string }} DrawnEdge */
/** @typedef {{ nodes: readonly PlacedNode[], edges: readonly DrawnEdge[], width: number, height: number }} Drawing */

/** Sizes of the drawing, in its own units. */
export const BOX = { width: 184, height: 44 }
const GAP = { x: 14, y: 34 }
const MARGIN = 4
/** Sweeps over the rows that bring nodes near to what they are linked with. */
const SWEEPS = 4

/**
 * Places a graph in rows: everything lies below all that rests on it, and near what it is linked with (Sugiyama, Tagawa and Toda,
 * IEEE Transactions on Systems, Man and Cybernetics 11, 1981).
 *
 * @param {Graph} graph
 * @returns {Drawing}
 */
export function layOut(graph) {
  const rows = rowsOf(graph)
  const widest = Math.max(...rows.map(({ length }) => length))
  const width = widest * (BOX.width + GAP.x) - GAP.x + 2 * MARGIN
  /** @type {Map<string, PlacedNode>} */
  const placed = new Map()
  for (const [level, row] of rows.entries()) {
    const indent = ((widest - row.length) * (BOX.width + GAP.x)) / 2
    for (const [place, node] of row.entries()) {
      const x = MARGIN + indent + place * (BOX.width + GAP.x)
      placed.set(node.id, { node, x, y: MARGIN + level * (BOX.height + GAP.y) })
    }
  }
  const edges = graph.edges.flatMap(({ from, to }) => {
    const [upper, lower] = [placed.get(from), placed.get(to)]
    return upper === undefined || lower === undefined ? [] : [{ from, to, path: curve(upper, lower) }]
  })
  const height = rows.length * (BOX.height + GAP.y) - GAP.y + 2 * MARGIN
  return { nodes: [...placed.values()], edges, width, height }
}

/**
 * @param {Graph} graph
 * @returns {readonly (readonly Node[])[]}
 */
function rowsOf({ nodes, edges }) {
  const levels = levelsOf({ nodes, edges })
  /** @type {Node[][]} */
  const rows = []
  for (const node of nodes) (rows[levels.get(node.id) ?? 0] ??= []).push(node)
  let ordered = rows.map((row) => row ?? [])
  for (let sweep = 0; sweep < SWEEPS; sweep++) ordered = swept(ordered, edges)
  return ordered
}

/**
 * The longest way from a node that nothing rests on. Edges in a circle, which no graph should have, end the count.
 *
 * @param {Graph} graph
 */
function levelsOf({ nodes, edges }) {
  const incoming = Map.groupBy(edges, ({ to }) => to)
  /** @type {Map<string, number>} */
  const levels = new Map()
  /** @type {(id: string, above: ReadonlySet<string>) => number} */
  const levelOf = (id, above) => {
    const known = levels.get(id)
    if (known !== undefined) return known
    const passed = new Set([...above, id])
    const over = (incoming.get(id) ?? []).filter(({ from }) => !passed.has(from))
    const level = Math.max(0, ...over.map(({ from }) => levelOf(from, passed) + 1))
    levels.set(id, level)
    return level
  }
  for (const { id } of nodes) levelOf(id, new Set())
  return levels
}

/**
 * @param {readonly (readonly Node[])[]} rows
 * @param {Graph['edges']} edges
 */
function swept(rows, edges) {
  const places = new Map(
    rows.flatMap((row) => row.map(({ id }, place) => /** @type {const} */ ([id, (place + 0.5) / row.length]))),
  )
  const linked = new Map(rows.flat().map(({ id }) => /** @type {[string, string[]]} */ ([id, []])))
  for (const { from, to } of edges) {
    linked.get(from)?.push(to)
    linked.get(to)?.push(from)
  }
  const meanOf = (/** @type {Node} */ { id }) => {
    const others = linked.get(id) ?? []
    const own = places.get(id) ?? 0
    return others.length === 0
      ? own
      : others.reduce((sum, other) => sum + (places.get(other) ?? own), 0) / others.length
  }
  return rows.map((row) => row.toSorted((a, b) => meanOf(a) - meanOf(b)))
}

/**
 * @param {PlacedNode} upper
 * @param {PlacedNode} lower
 */
function curve(upper, lower) {
  const [x1, y1] = [upper.x + BOX.width / 2, upper.y + BOX.height]
  const [x2, y2] = [lower.x + BOX.width / 2, lower.y]
  const bend = Math.min(40, Math.abs(y2 - y1) / 2)
  return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`
}

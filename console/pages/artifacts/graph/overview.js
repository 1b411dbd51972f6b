/**
 * @typedef {import('zod').output<typeof import('../../../../core/compile/wire/artifacts/lineage.ts').DependencyGraphAnswer>}
 * GraphAnswer
 */
/** @typedef {GraphAnswer['nodes'][number]} Node */
/** @typedef {{ from: string, to: string, type: string }} Edge */
/** @typedef {{ nodes: readonly Node[], edges: readonly Edge[] }} Graph */

/** Types of node that an overview shows. */
const MAIN = new Set(['artifact', 'job', 'run', 'dataset', 'chain', 'capture', 'model', 'gate'])

/**
 * Returns a graph of artifacts and what they learned from. A path through other evidence becomes one edge.
 *
 * @param {Graph} graph
 * @returns {Graph}
 */
export function overviewOf({ nodes, edges }) {
  const types = new Map(nodes.map(({ id, type }) => [id, type]))
  const isMain = (/** @type {string} */ id) => MAIN.has(types.get(id) ?? '')
  const outgoing = Map.groupBy(edges, ({ from }) => from)
  /** @type {Edge[]} */
  const kept = []
  for (const { id } of nodes.filter(({ type }) => MAIN.has(type))) {
    const walked = new Set([id])
    const reached = new Map()
    // A Set is walked in insertion order, including members added during the walk.
    for (const at of walked) {
      for (const { to, type } of outgoing.get(at) ?? []) {
        if (!isMain(to)) walked.add(to)
        else if (!reached.has(to)) reached.set(to, type)
      }
    }
    for (const [to, type] of reached) kept.push({ from: id, to, type })
  }
  return { nodes: nodes.filter(({ type }) => MAIN.has(type)), edges: kept }
}

/**
 * Returns the ids of everything that rests on a node, directly or through others.
 *
 * @param {Graph} graph
 * @param {string} id
 */
export function restingOn({ edges }, id) {
  const incoming = Map.groupBy(edges, ({ to }) => to)
  const reached = new Set([id])
  for (const at of reached) for (const { from } of incoming.get(at) ?? []) reached.add(from)
  reached.delete(id)
  return reached
}

import { z } from 'zod'
import { type DomainError, KERNEL_ERRORS } from '../../kernel/errors.ts'
import { AnyJson } from '../wire/fields.ts'

/** Spec of an evidence graph. */
export const DAG_SPEC = 'svc-evidence-dag-1'
/** Kinds of node. */
export const NODE_KINDS = ['capture', 'eval', 'teacher', 'student', 'runtime', 'signature', 'policy', 'rights'] as const
/** Relationships of an edge. An edge points from the dependent node to its dependency. */
export const RELATIONSHIPS = ['derived_from', 'validated_by', 'invalidates', 'supersedes'] as const

const MAX_NODES = 100_000
const NodeId = z.string().regex(/^[A-Za-z0-9_:.@-]{1,256}$/)

/** One piece of evidence. Further members are free. */
export const DagNode = z
  .object({ id: NodeId, kind: z.enum(NODE_KINDS) })
  .catchall(AnyJson)
  .meta({ id: 'EvidenceNode' })
export type DagNode = z.infer<typeof DagNode>

/** A dependency of one node on another. */
export const DagEdge = z
  .strictObject({ from: NodeId, to: NodeId, relationship: z.enum(RELATIONSHIPS) })
  .meta({ id: 'EvidenceEdge' })
export type DagEdge = z.infer<typeof DagEdge>

/** An evidence graph. */
export const EvidenceDag = z
  .strictObject({
    spec: z.literal(DAG_SPEC),
    nodes: z.array(DagNode).max(MAX_NODES),
    edges: z.array(DagEdge).max(MAX_NODES),
  })
  .meta({ id: 'EvidenceDag', description: 'The sources of an artifact and its evidence' })
export type EvidenceDag = z.infer<typeof EvidenceDag>

/** Reasons for refusing a graph. */
export type DagProblem = 'malformed' | 'duplicate_node' | 'duplicate_edge' | 'unknown_endpoint' | 'self_loop' | 'cycle'

/**
 * Checks an evidence graph: kinds and relationships, ids used once, edges between nodes that are there, no loop and no
 * cycle. Throws `validation_failed` with `details.problem` and the id at fault.
 */
export function parseDag(value: unknown): EvidenceDag {
  const parsed = EvidenceDag.safeParse(value)
  if (!parsed.success) throw invalidDag('malformed', z.prettifyError(parsed.error).slice(0, 500))
  const dag = parsed.data
  const ids = new Set<string>()
  for (const { id } of dag.nodes) {
    if (ids.has(id)) throw invalidDag('duplicate_node', id)
    ids.add(id)
  }
  const edges = new Set<string>()
  for (const { from, to, relationship } of dag.edges) {
    const name = `${from} ${relationship} ${to}`
    if (!ids.has(from) || !ids.has(to)) throw invalidDag('unknown_endpoint', ids.has(from) ? to : from)
    if (from === to) throw invalidDag('self_loop', from)
    if (edges.has(name)) throw invalidDag('duplicate_edge', name)
    edges.add(name)
  }
  const onCycle = findCycle(dag)
  if (onCycle !== undefined) throw invalidDag('cycle', onCycle)
  return dag
}

/** Everything reachable from a node along the edges, itself first, as a graph. Throws `not_found` for an unknown node. */
export function traceDag(dag: EvidenceDag, id: string): EvidenceDag {
  if (!dag.nodes.some((node) => node.id === id)) throw KERNEL_ERRORS.not_found('no such evidence node')
  const outgoing = Map.groupBy(dag.edges, ({ from }) => from)
  const reached = new Set([id])
  // A Set is walked in insertion order, including members added during the walk.
  for (const from of reached) for (const { to } of outgoing.get(from) ?? []) reached.add(to)
  const byId = new Map(dag.nodes.map((node) => [node.id, node]))
  return {
    spec: DAG_SPEC,
    nodes: [...reached].flatMap((reachedId) => byId.get(reachedId) ?? []),
    edges: dag.edges.filter(({ from }) => reached.has(from)),
  }
}

/**
 * Returns a node on a cycle, by removing nodes without remaining dependents (Kahn's algorithm); undefined without one.
 */
function findCycle(dag: EvidenceDag): string | undefined {
  const outgoing = Map.groupBy(dag.edges, ({ from }) => from)
  const dependents = new Map(dag.nodes.map(({ id }) => [id, 0]))
  for (const { to } of dag.edges) dependents.set(to, (dependents.get(to) ?? 0) + 1)
  const free = dag.nodes.filter(({ id }) => dependents.get(id) === 0).map(({ id }) => id)
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    dependents.delete(id)
    for (const { to } of outgoing.get(id) ?? []) {
      const left = (dependents.get(to) ?? 0) - 1
      dependents.set(to, left)
      if (left === 0) free.push(to)
    }
  }
  return dependents.keys().next().value
}

function invalidDag(problem: DagProblem, at: string): DomainError {
  return KERNEL_ERRORS.validation_failed(`evidence graph: ${problem.replaceAll('_', ' ')}: ${at}`, {
    details: { problem, at },
  })
}

import type { JsonObject } from '../../../kernel/json/json.ts'
import type { Verdict } from '../../ports.ts'
import { formatCount } from '../../wire/facts/numbers.ts'
import type { UsedDataset } from '../../wire/jobs/dataset.ts'
import type { EvidenceRow, GraphJob, GraphRows } from './graph-rows.ts'
import { labelOf } from './node-labels.ts'

/** Kinds of node of a dependency graph. */
export const NODE_TYPES = [
  'artifact',
  'job',
  'run',
  'recipe',
  'dataset',
  'chain',
  'capture',
  'model',
  'training',
  'teacher',
  'eval',
  'gate',
  'policy',
  'runtime',
  'signature',
  'rights',
] as const
/** One of them. */
export type NodeType = (typeof NODE_TYPES)[number]

/** Kinds of edge: those of evidence graphs, and what an artifact rests on. */
export const EDGE_TYPES = [
  'derived_from',
  'validated_by',
  'invalidates',
  'supersedes',
  'depends_on',
  'uses_model',
  'runs_on',
] as const
/** One of them. */
export type EdgeType = (typeof EDGE_TYPES)[number]

/**
 * Causes of an artifact's rest on another: a later version, the same examples compiled again, or the two sides of a distillation;
 * and the two sides of the gate that rests on them.
 */
export const EDGE_CAUSES = ['version', 'examples', 'teacher', 'student', 'candidate', 'baseline'] as const
/** One of them. */
export type EdgeCause = (typeof EDGE_CAUSES)[number]

/** Something that artifacts are made of, or an artifact itself. */
export interface GraphNode {
  readonly id: string
  readonly type: NodeType
  readonly label: string
  readonly facts: JsonObject
}

/** A dependency: `from` rests on `to`. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly type: EdgeType
  readonly via?: EdgeCause
}

/** A dependency graph. */
export interface DependencyGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/** Types of evidence whose ids say more than their kind. */
const PREFIXES: Readonly<Record<string, NodeType>> = {
  dataset: 'dataset',
  chain: 'chain',
  model: 'model',
  training: 'training',
  runtime: 'runtime',
}
const KINDS: Readonly<Record<string, NodeType>> = {
  capture: 'dataset',
  eval: 'eval',
  teacher: 'teacher',
  student: 'recipe',
  runtime: 'runtime',
  signature: 'signature',
  policy: 'policy',
  rights: 'rights',
}

/**
 * Returns the graph of jobs with their artifacts. Each artifact depends on the roots of its evidence, on the version
 * before it, on the job whose examples it compiled again, and on the adapters that its distillation continued and asked. It also depends on the distillation and the version of a
 * dataset that gave its rows, and these depend on the captures among the rows. A piece of evidence that several artifacts
 * share is one node. The verdict of a gate rests on the artifacts of its two sides.
 */
export function dependencyGraph(
  { jobs, nodes, edges, uses }: GraphRows,
  verdicts: readonly Verdict[],
): DependencyGraph {
  const found = new Map<string, GraphNode>(jobs.map((job) => [job.id, jobNode(job)]))
  for (const { facts } of nodes) if (!found.has(facts.id)) found.set(facts.id, evidenceNode(facts))
  for (const node of jobs.flatMap(datasetNodes)) if (!found.has(node.id)) found.set(node.id, node)
  const links = new Map<string, GraphEdge>()
  const link = (edge: GraphEdge): void => {
    if (found.has(edge.from) && found.has(edge.to)) links.set(`${edge.from} ${edge.type} ${edge.to}`, edge)
  }
  for (const { id, parent, earlierJob, student, teacher } of jobs) {
    if (teacher !== null) link({ from: id, to: teacher, type: 'derived_from', via: 'teacher' })
    if (student !== null) link({ from: id, to: student, type: 'derived_from', via: 'student' })
    if (earlierJob !== null) link({ from: id, to: earlierJob, type: 'derived_from', via: 'examples' })
    if (parent !== null) link({ from: id, to: parent, type: 'derived_from', via: 'version' })
  }
  for (const [artifactId, roots] of rootsOf({ nodes, edges })) {
    for (const root of roots) link({ from: artifactId, to: root, type: 'depends_on' })
  }
  for (const { from, to, relationship } of edges) {
    link({ from, to, type: edgeType(relationship, found.get(to)?.type) })
  }
  const captured = capturedNodes(nodes)
  for (const { id, dataset } of jobs) {
    if (dataset === null) continue
    for (const [from, to] of steps([id, ...datasetPath(dataset), captured.get(id)])) {
      link({ from, to, type: 'derived_from' })
    }
  }
  for (const { artifactId, captureId, isForgotten } of uses) {
    found.set(captureId, {
      id: captureId,
      type: 'capture',
      label: isForgotten ? 'a forgotten capture' : 'a capture',
      facts: { forgotten: isForgotten },
    })
    link({ from: captured.get(artifactId) ?? artifactId, to: captureId, type: 'derived_from' })
  }
  for (const verdict of verdicts) {
    found.set(verdict.id, gateNode(verdict))
    for (const to of verdict.candidates) link({ from: verdict.id, to, type: 'depends_on', via: 'candidate' })
    for (const to of verdict.baselines) link({ from: verdict.id, to, type: 'depends_on', via: 'baseline' })
  }
  return { nodes: [...found.values()], edges: [...links.values()] }
}

function gateNode({ id, mode, decision, rows, decidedAt, registrationHash, attempt }: Verdict): GraphNode {
  return {
    id,
    type: 'gate',
    label: `${decision} by a gate on ${formatCount(rows, 'row')}`,
    facts: {
      mode,
      decision,
      rows,
      attempt,
      decided_at: decidedAt.toISOString(),
      registration_hash: registrationHash,
    },
  }
}

/**
 * Returns the ids of nodes that rest on the changed ones within the evidence of one of the artifacts, with the versions of datasets
 * and the distillations above them.
 */
export function affectedEvidence(
  { jobs, edges, uses, nodes }: GraphRows,
  changed: ReadonlySet<string>,
): readonly string[] {
  const byArtifact = Map.groupBy(edges, ({ artifactId }) => artifactId)
  const captured = capturedNodes(nodes)
  const starts = new Map<string, Set<string>>()
  const start = (artifactId: string, node: string): void => {
    starts.set(artifactId, (starts.get(artifactId) ?? new Set()).add(node))
  }
  for (const { artifactId, facts } of nodes) if (changed.has(facts.id)) start(artifactId, facts.id)
  const affected = new Set<string>()
  for (const { artifactId, captureId } of uses) {
    const node = captured.get(artifactId)
    if (!changed.has(captureId) || node === undefined) continue
    start(artifactId, node)
    affected.add(node)
  }
  for (const [artifactId, reached] of starts) {
    const dependents = Map.groupBy(byArtifact.get(artifactId) ?? [], ({ to }) => to)
    // A Set is walked in insertion order, including members added during the walk.
    for (const to of reached) {
      for (const { from } of dependents.get(to) ?? []) {
        reached.add(from)
        affected.add(from)
      }
    }
  }
  for (const { id, dataset } of jobs) {
    if (dataset === null) continue
    const path = [...datasetPath(dataset), captured.get(id)]
    const lowest = path.findLastIndex((node) => node !== undefined && (changed.has(node) || affected.has(node)))
    for (const node of path.slice(0, Math.max(0, lowest))) if (node !== undefined) affected.add(node)
  }
  return [...affected].filter((id) => !changed.has(id)).toSorted()
}

/** Ids of what stands between a job and the captures of its dataset: the distillation, where there is one, and the version. */
function datasetPath({ run_id: runId, dataset_id: id, version }: UsedDataset): readonly string[] {
  return [...(runId === undefined ? [] : [runId]), `${id}/v${version}`]
}

/** Returns each pair of neighbours of a path, without what is not there. */
function steps(path: readonly (string | undefined)[]): readonly (readonly [string, string])[] {
  const there = path.filter((id) => id !== undefined)
  return there.slice(1).map((to, at) => [there[at] ?? to, to] as const)
}

function datasetNodes({ dataset }: GraphJob): readonly GraphNode[] {
  if (dataset === null) return []
  const { dataset_id: id, version, merkle_root: root, run_id: runId } = dataset
  const facts = { dataset_id: id, version, merkle_root: root }
  const named: GraphNode = { id: `${id}/v${version}`, type: 'dataset', label: `version ${version} of ${id}`, facts }
  if (runId === undefined) return [named]
  return [{ id: runId, type: 'run', label: `distillation of ${id}`, facts: { dataset_id: id, version } }, named]
}

function jobNode({ id, task, status, captures, forgotten, artifact }: GraphJob): GraphNode {
  if (artifact === null) return { id, type: 'job', label: task, facts: { status } }
  const { name, cid, state, kScore, recipeKind, createdAt, versionId, conceptId, semver } = artifact
  return {
    id,
    type: 'artifact',
    label: semver === null ? name : `${name} (${semver})`,
    facts: {
      cid,
      state,
      k_score: kScore,
      recipe_kind: recipeKind,
      created_at: createdAt.toISOString(),
      version_id: versionId,
      semver,
      concept_id: conceptId,
      ...(captures > 0 && { captures, forgotten_captures: forgotten }),
    },
  }
}

function evidenceNode({ id, kind, ...facts }: EvidenceRow['facts']): GraphNode {
  const type = PREFIXES[id.split(':', 1)[0] ?? ''] ?? KINDS[kind] ?? 'rights'
  return { id, type, label: labelOf({ id, type, facts }), facts }
}

function edgeType(relationship: string, of: NodeType | undefined): EdgeType {
  if (of === 'model') return 'uses_model'
  if (of === 'runtime') return 'runs_on'
  return EDGE_TYPES.find((type) => type === relationship) ?? 'depends_on'
}

/** The nodes of each artifact's evidence that no other one rests on. */
function rootsOf({ nodes, edges }: Pick<GraphRows, 'nodes' | 'edges'>): Map<string, readonly string[]> {
  const below = new Set(edges.map(({ artifactId, to }) => `${artifactId} ${to}`))
  const roots = nodes.filter(({ artifactId, facts }) => !below.has(`${artifactId} ${facts.id}`))
  return new Map(
    [...Map.groupBy(roots, ({ artifactId }) => artifactId)].map(([id, rows]) => [
      id,
      rows.map(({ facts }) => facts.id),
    ]),
  )
}

/** The node of each artifact's evidence that represents its captures. */
function capturedNodes(nodes: GraphRows['nodes']): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ artifactId, facts }) =>
      facts.id.startsWith('dataset:captures:') ? [[artifactId, facts.id]] : [],
    ),
  )
}

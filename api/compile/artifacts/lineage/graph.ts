import { affectedEvidence, dependencyGraph } from '../../../../core/compile/artifacts/lineage/dependency-graph.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import {
  DependencyGraphAnswer,
  DependencyGraphBody,
  MOST_AFFECTED,
  MOST_SHOWN,
  MOST_VERDICTS,
} from '../../../../core/compile/wire/artifacts/lineage.ts'
import { findArtifact } from '../../../../db/compile/artifacts/find-artifact.ts'
import { countArtifacts } from '../../../../db/compile/artifacts/list-artifacts.ts'
import { findAncestors } from '../../../../db/compile/evidence/ancestors.ts'
import { sortChanged, type ChangedSources } from '../../../../db/compile/evidence/changed-sources.ts'
import { findDescendants, type Descendants } from '../../../../db/compile/evidence/descendants.ts'
import { graphRows, newestArtifacts } from '../../../../db/compile/evidence/graph-rows.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'

export const dependencyGraphRoute = defineRoute({
  method: 'post',
  path: '/v1/artifacts/dependency-graph',
  operationId: 'dependencyGraph',
  group: 'artifacts',
  summary: 'Show what artifacts rest on, and what a change affects',
  description:
    'Joins the evidence of all artifacts of the account with their versions, base models, data sets, chains of captures and the ' +
    'verdicts of gates on them. Edges ' +
    'lead from a dependent to its dependency. `changed` asks for the blast radius of artifacts, captures (forgotten ones too) or ' +
    'nodes: `blast_radius.affected_artifacts` are the artifacts whose own evidence names one of them, and all that are built on ' +
    `these. Shows ${MOST_SHOWN} artifacts at most, the affected ones first, and the newest ${MOST_VERDICTS} verdicts on them.`,
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: DependencyGraphBody,
  answers: { 200: envelope('The graph', DependencyGraphAnswer) },
  errors: ['not_found', 'changed_not_found'],
}).handle(async ({ op, services, body: { artifact_id: id, changed } }) => {
  const [, sources] = await Promise.all([id !== undefined && findArtifact(op, id), sortChanged(op, changed)])
  const gates = new Set(sources.unknown.length === 0 ? [] : await services.verdicts.named(op, sources.unknown))
  refuseUnknown(
    changed,
    sources.unknown.filter((unknown) => !gates.has(unknown)),
  )
  const { tenantId } = op
  const [affected, near] = await Promise.all([
    findDescendants(op, { tenantId, sources, limit: MOST_AFFECTED }),
    id === undefined ? null : around(op, id),
  ])
  const scope = near ?? (await widely(op, sources, affected))
  const shown = scope.slice(0, MOST_SHOWN)
  const [rows, all] = await Promise.all([graphRows(op, shown, sources.captures), countArtifacts(op)])
  const artifacts = rows.jobs.flatMap(({ id: jobId, artifact }) =>
    artifact === null ? [] : [{ id: jobId, cid: artifact.cid }],
  )
  const verdicts = await services.verdicts.on(op, artifacts, MOST_VERDICTS)
  const { nodes, edges } = dependencyGraph(rows, verdicts)
  const moved = new Set([...sources.artifacts, ...affected.ids])
  return {
    status: 200,
    body: {
      spec: 'svc-artifact-dependency-graph/1' as const,
      artifact_id: id ?? null,
      nodes: nodes.map(({ id: nodeId, type, label, facts }) => ({ id: nodeId, type, label, facts })),
      edges: edges.map(({ from, to, type, via }) => ({ from, to, type, ...(via !== undefined && { via }) })),
      counts: {
        nodes: nodes.length,
        edges: edges.length,
        artifacts: rows.jobs.filter(({ artifact }) => artifact !== null).length,
        all_artifacts: all,
      },
      truncated: scope.length > shown.length,
      secret_values_included: false as const,
      blast_radius: {
        changed: [...changed],
        affected_artifacts: [...affected.ids],
        affected_nodes: [
          ...affectedEvidence(rows, new Set([...sources.nodes, ...sources.captures])),
          ...verdicts
            .filter(({ candidates, baselines }) => [...candidates, ...baselines].some((side) => moved.has(side)))
            .map((verdict) => verdict.id),
        ],
        truncated: affected.isTruncated,
      },
    },
  }
})

/** Refuses ids that name nothing of the tenant; another tenant's is as unknown. */
function refuseUnknown(changed: readonly string[], unknown: readonly string[]): void {
  const [first] = unknown
  if (first === undefined) return
  const message = 'is no artifact, capture or node of this account'
  throw COMPILE_ERRORS.changed_not_found(`changed.${changed.indexOf(first)}: ${message}`, {
    details: { fields: unknown.map((id) => ({ field: `changed.${changed.indexOf(id)}`, message })), unknown },
  })
}

/** The artifact, what it is built on, and what is built on it. */
async function around(op: Operation, id: string): Promise<readonly string[]> {
  const { tenantId } = op
  const [ancestors, { ids }] = await Promise.all([
    findAncestors(op, id, MOST_SHOWN),
    findDescendants(op, { tenantId, sources: { artifacts: [id] }, limit: MOST_SHOWN }),
  ])
  return [...new Set([id, ...ancestors, ...ids])]
}

/** The changed and the affected artifacts, or without a change the newest ones. */
async function widely(op: Operation, { artifacts }: ChangedSources, { ids }: Descendants): Promise<readonly string[]> {
  const affected = [...artifacts, ...ids]
  return affected.length > 0 ? affected : await newestArtifacts(op, MOST_SHOWN + 1)
}

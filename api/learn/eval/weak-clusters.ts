import type { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { inferOutputType } from '../../../core/compile/stages/verifier/output-type.ts'
import { findMetamorphic } from '../../../core/compile/stages/verifier/metamorphic.ts'
import type { WeakCluster } from '../../../core/learn/evals/adversarial/generate.ts'
import type { TaskFacts } from '../../../core/learn/evals/adversarial/perturb.ts'
import type { AdversarialBody } from '../../../core/learn/wire/adversarial.ts'
import type { Row } from '../../../core/compile/rows/task.ts'
import { openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { readCapturedRows } from '../../../db/learn/traffic/read-seeds.ts'
import { findModes } from '../../compile/artifacts/diagnosis/find-modes.ts'
import { readStored } from '../../compile/submit/archive.ts'
import type { LearnServices } from '../services.ts'

/** Captures of a namespace that are read. */
const MOST_CAPTURES = 500
/** Rows of a cluster that are changed. */
const MOST_SEEDS = 200

/** Clusters to change, what the rows say of the task, and how many clusters were looked for. */
export interface FoundClusters {
  readonly clusters: readonly WeakCluster[]
  readonly facts: TaskFacts
  readonly considered: number
}

interface Wanted {
  readonly id: string
  readonly label: string
}

type Body = z.output<typeof AdversarialBody>

/**
 * Finds the clusters that a body names, or all: failure modes of its artifact on the held-out rows, else templates and texts
 * among the captures of the namespace. An artifact without a failure mode has one cluster of all its rows. Throws
 * `validation_failed` for a cluster that is not known.
 */
export async function findWeakClusters(
  op: Operation,
  services: Pick<LearnServices, 'diagnosis'>,
  body: Body,
): Promise<FoundClusters> {
  const wanted = body.weak_clusters?.map((each) =>
    typeof each === 'string'
      ? { id: each, label: each }
      : { id: each.cluster_id, label: each.label ?? each.cluster_id },
  )
  return body.artifact_id === undefined
    ? await ofCaptures(op, body.namespace, wanted)
    : await ofArtifact(op, services, body.artifact_id, wanted)
}

async function ofArtifact(
  op: Operation,
  services: Pick<LearnServices, 'diagnosis'>,
  artifactId: string,
  wanted: readonly Wanted[] | undefined,
): Promise<FoundClusters> {
  const artifact = await openArchive(op, artifactId)
  const { found } = await findModes(op, services, artifact)
  const { evals, verifier } = await readStored(op, artifact)
  const rows = new Map(evals.rows.map((row) => [row.id, { id: row.id, input: row.input, expected: row.expected }]))
  const modes = found.modes.map(({ id, title, rowIds }) => ({
    id,
    label: title,
    seeds: rowIds.slice(0, MOST_SEEDS).flatMap((rowId) => rows.get(rowId) ?? []),
  }))
  const all = [{ id: 'evaluated_rows', label: 'all held-out rows', seeds: [...rows.values()].slice(0, MOST_SEEDS) }]
  const clusters = modes.length > 0 || wanted !== undefined ? modes : all
  requireKnown(wanted, ({ id }) => modes.some((mode) => mode.id === id), 'names no failure mode of the artifact')
  const chosen = wanted === undefined ? clusters : clusters.filter(({ id }) => wanted.some((one) => one.id === id))
  const { type } = verifier.output
  return {
    clusters: chosen,
    facts: { isLabelled: isLabel(type), invariants: verifier.metamorphic.map(({ change }) => change) },
    considered: wanted?.length ?? clusters.length,
  }
}

async function ofCaptures(
  op: Operation,
  namespace: string,
  wanted: readonly Wanted[] | undefined,
): Promise<FoundClusters> {
  const captured = await readCapturedRows(op, namespace, MOST_CAPTURES)
  const templates = [...new Set(captured.flatMap(({ template }) => template ?? []))]
  const clusters = (wanted ?? templates.map((id) => ({ id, label: id }))).map(({ id, label }) => ({
    id,
    label,
    seeds: captured
      .filter(({ template, input }) => template === id || input.toLowerCase().includes(label.toLowerCase()))
      .slice(0, MOST_SEEDS)
      .map((row) => ({ id: row.id, input: row.input, expected: row.expected })),
  }))
  const known = new Set(clusters.flatMap(({ id, seeds }) => (seeds.length > 0 ? [id] : [])))
  requireKnown(wanted, ({ id }) => known.has(id), `is neither a template of a capture of ${namespace} nor in a prompt`)
  const rows: readonly Row[] = captured.map(({ id, input, expected }) => ({ id, input, output: expected }))
  const output = inferOutputType(rows)
  const invariants = findMetamorphic(rows, output).map(({ change }) => change)
  return {
    clusters,
    facts: { isLabelled: isLabel(output.type), invariants },
    considered: clusters.length,
  }
}

/** Throws `validation_failed` for the first cluster of a body that is not known. */
function requireKnown(wanted: readonly Wanted[] | undefined, isKnown: (one: Wanted) => boolean, why: string): void {
  const place = wanted?.findIndex((one) => !isKnown(one)) ?? -1
  if (place >= 0) throw invalidField(`weak_clusters[${place}]`, why)
}

function isLabel(type: string): boolean {
  return type === 'label' || type === 'boolean'
}

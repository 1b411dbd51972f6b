import type { z } from 'zod'
import { DependencyGraphAnswer } from '../../../core/compile/wire/artifacts/lineage.ts'
import type { CliContext } from '../../context.ts'
import { cutCell } from '../../terminal/difference.ts'
import { formatTable, plainText } from '../../terminal/table.ts'
import { findArtifactId } from '../artifact-id.ts'

/** Options of `svc artifacts graph`. */
export interface GraphFlags {
  readonly changed?: readonly string[]
  /** Writes the graph for Graphviz. */
  readonly dot?: boolean
}

type Graph = z.input<typeof DependencyGraphAnswer>

/** `svc artifacts graph`. Throws `CliError`, `changed_not_found` for a changed id that is unknown. */
export async function showGraph(
  context: CliContext,
  target: string | undefined,
  { changed = [], dot = false }: GraphFlags,
): Promise<void> {
  const client = await context.client()
  const id = target === undefined ? undefined : await findArtifactId(client, target)
  const graph = await client.call('/v1/artifacts/dependency-graph', DependencyGraphAnswer, {
    method: 'POST',
    json: { ...(id !== undefined && { artifact_id: id }), changed },
  })
  context.output.result(graph, () => (dot ? toDot(graph) : describe(graph)))
}

function describe({ nodes, edges, counts, truncated, blast_radius: radius }: Graph): string {
  const restsOn = Map.groupBy(edges, ({ from }) => from)
  const affected = new Set([...radius.affected_artifacts, ...radius.affected_nodes])
  const rows = nodes.map(({ id, type, label }) => [
    type,
    id,
    cutCell(plainText(label)),
    String(restsOn.get(id)?.length ?? 0),
    radius.changed.includes(id) ? 'changed' : affected.has(id) ? 'affected' : '',
  ])
  const shown = `${counts.artifacts} of ${counts.all_artifacts} artifacts, ${nodes.length} nodes, ${edges.length} edges`
  return [
    formatTable(['type', 'id', 'what it is', 'rests on', radius.changed.length === 0 ? '' : 'change'], rows),
    truncated ? `${shown}; the rest is not shown` : shown,
    ...(radius.changed.length === 0 ? [] : [describeRadius(radius)]),
  ].join('\n')
}

function describeRadius({ affected_artifacts: ids, truncated }: Graph['blast_radius']): string {
  if (ids.length === 0) return 'no artifact rests on it'
  return `${ids.length}${truncated ? ' or more' : ''} artifacts rest on it: ${ids.join(' ')}`
}

/** The graph in the language of Graphviz. */
function toDot({ nodes, edges }: Graph): string {
  const quoted = (text: string): string => JSON.stringify(plainText(text))
  return [
    'digraph artifacts {',
    '  rankdir=LR',
    ...nodes.map(({ id, type, label }) => `  ${quoted(id)} [label=${quoted(label)}, class=${quoted(type)}]`),
    ...edges.map(({ from, to, type }) => `  ${quoted(from)} -> ${quoted(to)} [label=${quoted(type)}]`),
    '}',
  ].join('\n')
}

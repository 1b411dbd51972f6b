import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** An evidence graph in its stored form: nodes with their own facts, edges from dependent to dependency. */
export interface StoredDag {
  readonly nodes: readonly ({ readonly id: string; readonly kind: string } & JsonObject)[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly relationship: string }[]
}

/** Writes the evidence graph of a new artifact, with the next statement. The graph must be valid, see core/evidence. */
export function writeDag(
  tx: Transaction,
  owner: { readonly tenantId: string; readonly artifactId: string },
  dag: StoredDag,
): void {
  const nodes = unnest('n', {
    node_id: list(
      'text',
      dag.nodes.map(({ id }) => id),
    ),
    kind: list(
      'text',
      dag.nodes.map(({ kind }) => kind),
    ),
    facts: list(
      'json',
      dag.nodes.map((node) => JSON.stringify(node)),
    ),
  })
  tx.post(
    tx.q
      .insertInto('evidence_nodes')
      .columns(['artifact_id', 'position', 'tenant_id', 'node_id', 'kind', 'facts'])
      .expression((q) =>
        q
          .selectFrom(nodes)
          .select((of) => [
            of.val(owner.artifactId).as('artifact_id'),
            'place',
            of.val(owner.tenantId).as('tenant_id'),
            'node_id',
            'kind',
            'facts',
          ]),
      ),
  )
  const column = (of: (edge: StoredDag['edges'][number]) => string) => list('text', dag.edges.map(of))
  const edges = unnest('e', {
    from_node: column(({ from }) => from),
    to_node: column(({ to }) => to),
    relationship: column(({ relationship }) => relationship),
  })
  tx.post(
    tx.q
      .insertInto('evidence_edges')
      .columns(['artifact_id', 'position', 'tenant_id', 'from_node', 'to_node', 'relationship'])
      .expression((q) =>
        q
          .selectFrom(edges)
          .select((of) => [
            of.val(owner.artifactId).as('artifact_id'),
            'place',
            of.val(owner.tenantId).as('tenant_id'),
            'from_node',
            'to_node',
            'relationship',
          ]),
      ),
  )
}

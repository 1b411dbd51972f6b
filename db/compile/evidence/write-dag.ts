import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { SqlRunner } from '../../kernel/database.ts'

/** An evidence graph as it is stored: nodes with their own facts, edges from dependent to dependency. */
export interface StoredDag {
  readonly nodes: readonly ({ readonly id: string; readonly kind: string } & JsonObject)[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly relationship: string }[]
}

/** Writes the evidence graph of a new artifact. The graph must be valid, see core/evidence. */
export async function writeDag(
  tx: SqlRunner,
  owner: { readonly tenantId: string; readonly artifactId: string },
  dag: StoredDag,
): Promise<void> {
  await tx.query(
    `insert into evidence_nodes (artifact_id, position, tenant_id, node_id, kind, facts)
     select $1, n.place, $2, n.node_id, n.kind, n.facts
     from unnest($3::text[], $4::text[], $5::json[]) with ordinality as n(node_id, kind, facts, place)`,
    [
      owner.artifactId,
      owner.tenantId,
      dag.nodes.map((node) => node.id),
      dag.nodes.map((node) => node.kind),
      dag.nodes.map((node) => JSON.stringify(node)),
    ],
  )
  await tx.query(
    `insert into evidence_edges (artifact_id, position, tenant_id, from_node, to_node, relationship)
     select $1, e.place, $5, e.from_node, e.to_node, e.relationship
     from unnest($2::text[], $3::text[], $4::text[]) with ordinality as e(from_node, to_node, relationship, place)`,
    [
      owner.artifactId,
      dag.edges.map((edge) => edge.from),
      dag.edges.map((edge) => edge.to),
      dag.edges.map((edge) => edge.relationship),
      owner.tenantId,
    ],
  )
}

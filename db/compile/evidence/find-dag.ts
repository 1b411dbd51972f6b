import type { Operation } from '../../kernel/operation.ts'
import type { StoredDag } from './write-dag.ts'

/** The evidence graph of one artifact of the tenant, as it was written; null when there is none. */
export async function findDag(op: Operation, artifactId: string): Promise<StoredDag | null> {
  const nodes = await op.db.query<{ facts: StoredDag['nodes'][number] }>(
    'select facts from evidence_nodes where artifact_id = $1 and tenant_id = $2 order by position',
    [artifactId, op.tenantId],
  )
  if (nodes.length === 0) return null
  const edges = await op.db.query<StoredDag['edges'][number]>(
    `select from_node as "from", to_node as "to", relationship from evidence_edges where artifact_id = $1
     order by position`,
    [artifactId],
  )
  return { nodes: nodes.map((node) => node.facts), edges }
}

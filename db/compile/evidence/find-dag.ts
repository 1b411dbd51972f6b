import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import type { StoredDag } from './write-dag.ts'

/** Returns the evidence graph of one artifact of the tenant, as written; null when there is none. */
export async function findDag(op: Operation, artifactId: string): Promise<StoredDag | null> {
  const [nodes, edges] = await op.read((q) => [
    q
      .selectFrom('evidence_nodes')
      .select(sql<StoredDag['nodes'][number]>`facts`.as('facts'))
      .where('artifact_id', '=', artifactId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('position'),
    q
      .selectFrom('evidence_edges')
      .select(['from_node as from', 'to_node as to', 'relationship'])
      .where('artifact_id', '=', artifactId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('position'),
  ])
  return nodes.length === 0 ? null : { nodes: nodes.map(({ facts }) => facts), edges }
}

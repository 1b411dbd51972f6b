import { sql } from 'kysely'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { listText, type ListText } from '../../../core/kernel/json/list-text.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import { unnest, writtenList } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** An evidence graph in its stored form: nodes with their own facts, edges from dependent to dependency. */
export interface StoredDag {
  readonly nodes: readonly ({ readonly id: string; readonly kind: string } & JsonObject)[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly relationship: string }[]
}

/** The artifact of a graph. */
interface Owner {
  readonly tenantId: string
  readonly artifactId: string
}

interface BoundNodes extends Owner {
  readonly ids: ListText<string>
  readonly kinds: ListText<string>
  readonly facts: ListText<string>
}

const insertNodes = prepared((q, rows: BoundNodes) =>
  q
    .insertInto('evidence_nodes')
    .columns(['artifact_id', 'position', 'tenant_id', 'node_id', 'kind', 'facts'])
    .expression((of) =>
      of
        .selectFrom(
          unnest('n', {
            node_id: writtenList('text', rows.ids),
            kind: writtenList('text', rows.kinds),
            facts: writtenList('json', rows.facts),
          }),
        )
        .select([
          sql<string>`${rows.artifactId}::text`.as('artifact_id'),
          'place',
          sql<string>`${rows.tenantId}::text`.as('tenant_id'),
          'node_id',
          'kind',
          'facts',
        ]),
    ),
)

interface BoundEdges extends Owner {
  readonly from: ListText<string>
  readonly to: ListText<string>
  readonly relationships: ListText<string>
}

const insertEdges = prepared((q, rows: BoundEdges) =>
  q
    .insertInto('evidence_edges')
    .columns(['artifact_id', 'position', 'tenant_id', 'from_node', 'to_node', 'relationship'])
    .expression((of) =>
      of
        .selectFrom(
          unnest('e', {
            from_node: writtenList('text', rows.from),
            to_node: writtenList('text', rows.to),
            relationship: writtenList('text', rows.relationships),
          }),
        )
        .select([
          sql<string>`${rows.artifactId}::text`.as('artifact_id'),
          'place',
          sql<string>`${rows.tenantId}::text`.as('tenant_id'),
          'from_node',
          'to_node',
          'relationship',
        ]),
    ),
)

/** Writes the evidence graph of a new artifact, with the next statement. The graph must be valid, see core/evidence. */
export function writeDag(tx: Transaction, owner: Owner, { nodes, edges }: StoredDag): void {
  tx.post(
    insertNodes({
      ...owner,
      ids: listText(nodes.map(({ id }) => id)),
      kinds: listText(nodes.map(({ kind }) => kind)),
      facts: listText(nodes.map((node) => JSON.stringify(node))),
    }),
  )
  tx.post(
    insertEdges({
      ...owner,
      from: listText(edges.map(({ from }) => from)),
      to: listText(edges.map(({ to }) => to)),
      relationships: listText(edges.map(({ relationship }) => relationship)),
    }),
  )
}

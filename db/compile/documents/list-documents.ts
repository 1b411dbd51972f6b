import { sql, type SqlBool } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { DocumentRow } from './document.ts'

/** A document as lists show it. */
export type ListedDocument = Omit<DocumentRow, 'tenantId' | 'termCount' | 'stamp' | 'blobSha256'>

const LISTED = [
  'id',
  'namespace',
  'path',
  'origin',
  'sha256',
  'size_bytes as sizeBytes',
  'modality',
  'content_extracted as contentExtracted',
  'reason',
  'characters',
  'chunk_count as chunkCount',
  'embedding_model as embeddingModel',
  'indexed_at as indexedAt',
] as const

/** Lists documents of the tenant, newest first; of one namespace when it is named. Throws `invalid_cursor`. */
export async function listDocuments(
  op: Operation,
  input: PageRequest & { readonly namespace?: string | undefined },
): Promise<Page<ListedDocument>> {
  const after = placeOf(input.cursor)
  const { namespace } = input
  const rows = await op.read((q) => {
    const all = q
      .selectFrom('documents')
      .select(LISTED)
      .where('tenant_id', '=', op.tenantId)
      .where(sql<SqlBool>`(indexed_at, id) < (${new Date(after.rank)}, ${after.id})`)
      .orderBy('indexed_at', 'desc')
      .orderBy('id', 'desc')
      .limit(input.limit + 1)
    return namespace === undefined ? all : all.where('namespace', '=', namespace)
  })
  return pageOf(rows, input.limit, (row) => ({ rank: row.indexedAt.getTime(), id: row.id }))
}

/** The documents of a namespace, in numbers. */
export interface NamespaceOfDocuments {
  readonly namespace: string
  readonly documents: number
  readonly chunks: number
  readonly bytes: number
}

/** Lists the namespaces with documents, by name. */
export async function listDocumentNamespaces(op: Operation): Promise<readonly NamespaceOfDocuments[]> {
  return await op.read((q) =>
    q
      .selectFrom('documents')
      .select([
        'namespace',
        q.fn.countAll<number>().as('documents'),
        sql<number>`sum(chunk_count)::bigint`.as('chunks'),
        sql<number>`sum(size_bytes)::bigint`.as('bytes'),
      ])
      .where('tenant_id', '=', op.tenantId)
      .groupBy('namespace')
      .orderBy('namespace'),
  )
}

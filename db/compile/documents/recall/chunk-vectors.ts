import { sql } from 'kysely'
import type { Operation } from '../../../kernel/operation.ts'
import { BUILDER, list, unnest } from '../../../kernel/queries/typed.ts'

/** A chunk that has no vector of a model yet. */
export interface ChunkToEmbed {
  readonly documentId: string
  readonly seq: number
  readonly text: string
}

/** The vectors of one model in a namespace. */
interface OfModel {
  readonly namespace: string
  readonly model: string
}

/**
 * Returns up to `most` chunks of a namespace without a vector of the model, document by document; none when all have one.
 * Each document that is not marked has such a chunk, so the first few documents are enough.
 */
export async function nextToEmbed(
  op: Operation,
  { namespace, model, most }: OfModel & { readonly most: number },
): Promise<readonly ChunkToEmbed[]> {
  return await op.read((q) =>
    q
      .with('d', (of) =>
        of
          .selectFrom('documents')
          .select(['id', sql<number>`sum(chunk_count) over (order by id) - chunk_count`.as('before')])
          .where('tenant_id', '=', op.tenantId)
          .where('namespace', '=', namespace)
          .where('chunk_count', '>', 0)
          .where(sql<boolean>`embedding_model is distinct from ${model}`),
      )
      .selectFrom('d')
      .innerJoin('document_chunks as c', 'c.document_id', 'd.id')
      .select(['c.document_id as documentId', 'c.seq', 'c.text'])
      .where('d.before', '<', most)
      .where('c.tenant_id', '=', op.tenantId)
      .where(without(model))
      .orderBy('c.document_id')
      .orderBy('c.seq')
      .limit(most),
  )
}

/** Counts the chunks of a namespace without a vector of the model. */
export async function countToEmbed(op: Operation, { namespace, model }: OfModel): Promise<number> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('documents as d')
      .innerJoin('document_chunks as c', 'c.document_id', 'd.id')
      .select(sql<number>`count(*)::integer`.as('count'))
      .where('d.tenant_id', '=', op.tenantId)
      .where('d.namespace', '=', namespace)
      .where(sql<boolean>`d.embedding_model is distinct from ${model}`)
      .where('c.tenant_id', '=', op.tenantId)
      .where(without(model)),
  )
  return row?.count ?? 0
}

/** Vectors of chunks, as numbers one behind another. */
export interface NewVectors {
  readonly model: string
  readonly chunks: readonly Pick<ChunkToEmbed, 'documentId' | 'seq'>[]
  readonly vectors: Float32Array
}

/**
 * Stores vectors in place of those of another model, and marks the documents whose chunks all have one now. Vectors of
 * chunks that were deleted meanwhile are left out.
 */
export async function storeVectors(op: Operation, { model, chunks, vectors }: NewVectors): Promise<void> {
  const width = vectors.length / chunks.length
  const documentIds = chunks.map(({ documentId }) => documentId)
  const rows = unnest('n', {
    document_id: list('text', documentIds),
    seq: list(
      'integer',
      chunks.map(({ seq }) => seq),
    ),
    vector: list(
      'bytea',
      chunks.map((_, at) => bytesOf(vectors.subarray(at * width, (at + 1) * width))),
    ),
  })
  await op.write(async (tx) => {
    await tx.q
      .insertInto('document_vectors')
      .columns(['document_id', 'seq', 'tenant_id', 'namespace', 'model', 'vector'])
      .expression((of) =>
        of
          .selectFrom(rows)
          .innerJoin('document_chunks as c', (join) =>
            join.onRef('c.document_id', '=', 'n.document_id').onRef('c.seq', '=', 'n.seq'),
          )
          .where('c.tenant_id', '=', op.tenantId)
          .select([
            'c.document_id',
            'c.seq',
            'c.tenant_id',
            'c.namespace',
            sql<string>`${model}::text`.as('model'),
            'n.vector',
          ]),
      )
      .onConflict((conflict) =>
        conflict.columns(['document_id', 'seq']).doUpdateSet((of) => ({
          model: of.ref('excluded.model'),
          vector: of.ref('excluded.vector'),
        })),
      )
      .execute()
    await tx.q
      .updateTable('documents')
      .set((of) => {
        const bare = of
          .selectFrom('document_chunks as c')
          .select('c.seq')
          .where('c.tenant_id', '=', op.tenantId)
          .whereRef('c.document_id', '=', 'documents.id')
          .where(without(model))
        return { embedding_model: sql<string | null>`case when exists ${bare} then null else ${model} end` }
      })
      .where(sql<boolean>`id = any(${documentIds}::text[])`)
      .where('tenant_id', '=', op.tenantId)
      .execute()
  })
}

/** True for a chunk `c` without a vector of the model. */
function without(model: string) {
  const vector = BUILDER.selectFrom('document_vectors as v')
    .select('v.seq')
    .where('v.tenant_id', '=', sql.ref<string>('c.tenant_id'))
    .where('v.document_id', '=', sql.ref<string>('c.document_id'))
    .where('v.seq', '=', sql.ref<number>('c.seq'))
    .where('v.model', '=', model)
  return sql<boolean>`not exists ${vector}`
}

/** Lists the documents of a namespace whose chunks all have vectors of the model. */
export async function listEmbedded(op: Operation, { namespace, model }: OfModel): Promise<readonly string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('documents')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('embedding_model', '=', model)
      .orderBy('id'),
  )
  return rows.map(({ id }) => id)
}

/** A vector of a chunk. */
export interface StoredVector {
  readonly documentId: string
  readonly seq: number
  readonly vector: Float32Array
}

/** Reads the vectors of documents by a model. */
export async function readVectors(
  op: Operation,
  { documentIds, model }: { readonly documentIds: readonly string[]; readonly model: string },
): Promise<readonly StoredVector[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('document_vectors')
      .select(['document_id as documentId', 'seq', 'vector'])
      .where('tenant_id', '=', op.tenantId)
      .where('model', '=', model)
      .where(sql<boolean>`document_id = any(${[...documentIds]}::text[])`),
  )
  return rows.map(({ documentId, seq, vector }) => ({ documentId, seq, vector: floatsOf(vector) }))
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function floatsOf(bytes: Uint8Array): Float32Array {
  const copy = Uint8Array.from(bytes)
  return new Float32Array(copy.buffer, 0, Math.floor(copy.length / Float32Array.BYTES_PER_ELEMENT))
}

import { sql, type NotNull } from 'kysely'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import type { Database } from '../../../kernel/database.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { findBlob, readBlob } from '../../../kernel/blobs/read-blob.ts'

/** Datasets looked up at once. */
const BATCH = 50

interface DatasetRow {
  readonly id: string
  readonly createdAt: Date
  readonly blob: Sha256
  readonly hash: string
}

/**
 * Yields the examples that the tenant's compiles still keep, in order of creation: of each dataset, once, the text of a
 * JSON document, piece by piece. One released since its look-up is skipped.
 */
export async function* readDatasets(op: Operation): AsyncGenerator<AsyncGenerator<string>> {
  let after: readonly [Date, string] = [new Date(0), '']
  for (;;) {
    const [at, id] = after
    const rows = await op.read((q) =>
      q
        .selectFrom('compile_jobs as job')
        .select(['id', 'created_at as createdAt', 'dataset_sha256 as blob', 'dataset_hash as hash'])
        .$narrowType<{ blob: NotNull }>()
        .where('tenant_id', '=', op.tenantId)
        .where('dataset_sha256', 'is not', null)
        .where(sql<boolean>`(created_at, id) > (${at}, ${id})`)
        .where((of) =>
          of.not(
            of.exists(
              of
                .selectFrom('compile_jobs as earlier')
                .select('earlier.id')
                .where('earlier.tenant_id', '=', op.tenantId)
                .whereRef('earlier.dataset_sha256', '=', 'job.dataset_sha256')
                .where(sql<boolean>`(earlier.created_at, earlier.id) < (job.created_at, job.id)`),
            ),
          ),
        )
        .orderBy('created_at')
        .orderBy('id')
        .limit(BATCH),
    )
    for (const row of rows) {
      // The reader may take long over the previous ones.
      if ((await findBlob(op.db, row.blob)) !== null) yield writeDataset(op.db, row)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = [last.createdAt, last.id]
  }
}

/**
 * A stored dataset has one row a line and no other line ends: with commas in their place it is the inside of a list.
 */
async function* writeDataset(db: Database, { blob, hash }: DatasetRow): AsyncGenerator<string> {
  yield `{"dataset_hash":${JSON.stringify(hash)},"rows":[`
  const decoder = new TextDecoder()
  let lineEnd = ''
  for await (const chunk of readBlob(db, blob)) {
    const text = lineEnd + decoder.decode(chunk, { stream: true })
    lineEnd = text.endsWith('\n') ? '\n' : ''
    yield text.slice(0, text.length - lineEnd.length).replaceAll('\n', ',')
  }
  yield ']}'
}

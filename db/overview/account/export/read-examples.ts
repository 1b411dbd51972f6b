import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import type { Database } from '../../../kernel/database.ts'
import { findBlob, readBlob } from '../../../kernel/blobs/read-blob.ts'

/** Datasets that are looked up at once. */
const BATCH = 50

interface DatasetRow {
  readonly id: string
  readonly createdAt: Date
  readonly blob: Sha256
  readonly hash: string
}

/**
 * The examples that the tenant's compiles still keep, in the order in which they came: of each dataset, once, the text of
 * a JSON document, piece by piece. One that was let go since it was looked up is passed over.
 */
export async function* readDatasets(sql: Database, tenantId: string): AsyncGenerator<AsyncGenerator<string>> {
  let after: readonly [Date, string] = [new Date(0), '']
  for (;;) {
    const rows = await sql.query<DatasetRow>(
      `select id, created_at as "createdAt", dataset_sha256 as blob, dataset_hash as hash from compile_jobs job
       where tenant_id = $1 and dataset_sha256 is not null and (created_at, id) > ($2, $3) and not exists (
         select 1 from compile_jobs earlier
         where earlier.tenant_id = $1 and earlier.dataset_sha256 = job.dataset_sha256
           and (earlier.created_at, earlier.id) < (job.created_at, job.id))
       order by created_at, id limit ${BATCH}`,
      [tenantId, ...after],
    )
    for (const row of rows) {
      // The reader may take long over the ones before it.
      if ((await findBlob(sql, row.blob)) !== null) yield writeDataset(sql, row)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = [last.createdAt, last.id]
  }
}

/** A stored dataset has one row a line and no other line ends: with commas in their place it is the inside of a list. */
async function* writeDataset(sql: Database, { blob, hash }: DatasetRow): AsyncGenerator<string> {
  yield `{"dataset_hash":${JSON.stringify(hash)},"rows":[`
  const decoder = new TextDecoder()
  let lineEnd = ''
  for await (const chunk of readBlob(sql, blob)) {
    const text = lineEnd + decoder.decode(chunk, { stream: true })
    lineEnd = text.endsWith('\n') ? '\n' : ''
    yield text.slice(0, text.length - lineEnd.length).replaceAll('\n', ',')
  }
  yield ']}'
}

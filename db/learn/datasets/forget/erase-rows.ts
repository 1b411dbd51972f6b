import { sql } from 'kysely'
import { readLines } from '../../../../core/compile/rows/intake/byte-lines.ts'
import { countRecords, readRecord, writeRecord } from '../../../../core/learn/datasets/index/row-index.ts'
import { readRow } from '../../../../core/learn/datasets/rows/stored-row.ts'
import { withoutRows } from '../../../../core/learn/datasets/quality/without-rows.ts'
import { putBlob } from '../../../kernel/blobs/put-blob.ts'
import { readBlob } from '../../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { eraseEvaluatedRows } from '../../evals/erase-rows.ts'
import { forgetRunRows } from '../../distill/forget-rows.ts'
import { findQuality, isReady, listVersions, type ReadyVersion } from '../find-dataset.ts'
import { readIndex } from '../read-rows.ts'
import { pendingForgets } from './pending-forgets.ts'

/** Longest line of stored rows. */
const LINE_BYTES = 64 * 1024 * 1024
/** Versions of a dataset at most, far beyond the limit. */
const MOST_VERSIONS = 100_000
const LINE_FEED = new Uint8Array([0x0a])

/**
 * Erases the rows of forgotten captures from every version of a dataset and from its evaluations: their lines go, their
 * places in the index become tombstones, which keep the hash, so that the root still verifies. Repeating it is safe.
 */
export async function eraseRows(
  op: Operation,
  {
    datasetId,
    signal,
    progress,
  }: { readonly datasetId: string; readonly signal: AbortSignal; readonly progress: () => void },
): Promise<void> {
  const { hashes, captures } = await pendingForgets(op, datasetId)
  for (const version of await listVersions(op, datasetId, MOST_VERSIONS)) {
    signal.throwIfAborted()
    if (!isReady(version)) continue
    await eraseFrom(op, version, hashes, { signal, progress })
    progress()
  }
  await eraseEvaluatedRows(op, datasetId, hashes)
  await op.write(async (tx) => {
    await tx.q
      .updateTable('dataset_captures')
      .set({ erased_at: op.now() })
      .where('dataset_id', '=', datasetId)
      .where('tenant_id', '=', op.tenantId)
      .where(sql<boolean>`capture_id = any(${[...captures]}::text[])`)
      .where('erased_at', 'is', null)
      .execute()
  })
}

async function eraseFrom(
  op: Operation,
  version: ReadyVersion,
  hashes: ReadonlySet<string>,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: () => void },
): Promise<void> {
  const index = await readIndex(op.db, version.indexSha256)
  const gone = new Set<number>()
  for (let place = 0; place < countRecords(index); place++) {
    const { hash, isForgotten } = readRecord(index, place)
    if (!isForgotten && hashes.has(Buffer.from(hash).toString('hex'))) gone.add(place)
  }
  if (gone.size === 0) return
  const ids = new Set<string>()
  const kept = async function* (): AsyncGenerator<Uint8Array> {
    let place = 0
    let offset = 0
    for await (const { bytes } of readLines(readBlob(op.db, version.rowsSha256), LINE_BYTES)) {
      while (readRecord(index, place).isForgotten) place++
      const record = readRecord(index, place)
      if (gone.has(place)) {
        ids.add(readRow(new TextDecoder().decode(bytes)).id)
        writeRecord(index, place, { ...record, offset: 0, length: 0, isForgotten: true })
      } else {
        writeRecord(index, place, { ...record, offset })
        offset += record.length
        yield Buffer.concat([bytes, LINE_FEED])
      }
      place++
      progress()
    }
  }
  const rows = await putBlob(op.db, kept(), { signal })
  const records = await putBlob(op.db, index, { signal })
  const quality = await findQuality(op, version.datasetId, version.version)
  await op.write(async (tx) => {
    const replaced = await tx.q
      .updateTable('dataset_versions')
      .set({
        rows_sha256: rows.sha256,
        index_sha256: records.sha256,
        size_bytes: rows.sizeBytes,
        forgotten_count: sql<number>`forgotten_count + ${gone.size}`,
        quality: quality === null ? null : withoutRows(quality, ids),
      })
      .where('dataset_id', '=', version.datasetId)
      .where('version', '=', version.version)
      .where('tenant_id', '=', op.tenantId)
      .where('rows_sha256', '=', version.rowsSha256)
      .where('index_sha256', '=', version.indexSha256)
      .executeTakeFirst()
    // Another attempt replaced them meanwhile; what this one stored is collected.
    if (replaced.numUpdatedRows === 0n) return
    await forgetRunRows(tx, { tenantId: op.tenantId, datasetId: version.datasetId, ids })
    const unused: readonly Sha256[] = [version.rowsSha256, version.indexSha256]
    await tx.q
      .updateTable('blobs')
      .set({ review_at: sql<Date>`now()` })
      .where(sql<boolean>`sha256 = any(${[...unused]}::text[])`)
      .execute()
  })
}

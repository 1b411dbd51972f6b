import { sql } from 'kysely'
import type { Limits } from '../../../../core/compile/limits.ts'
import { readLines } from '../../../../core/compile/rows/intake/byte-lines.ts'
import { isFinal } from '../../../../core/compile/rows/task.ts'
import { isJsonObject, type Json, type Sha256 } from '../../../../core/kernel/json/json.ts'
import { putBlob } from '../../../kernel/blobs/put-blob.ts'
import { readBlob } from '../../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { findJob } from '../find-job.ts'
import { forgetRows } from '../../row-results/forget-rows.ts'
import { dropSketch } from '../../sketches/record-sketch.ts'
import { finishFailed } from '../finish/finish-otherwise.ts'
import { forgottenExamples } from './read-uses.ts'

/** Longest line of stored examples and rows. */
const LINE_BYTES = 64 * 1024 * 1024
const LINE_FEED = new Uint8Array([0x0a])

/**
 * Erases the examples of forgotten captures from what is stored of a job: its examples, its rows with their results, and all
 * that its stages left. A job that is not over fails first. The archive of its artifact stays as it was signed. Repeating
 * it is safe.
 */
export async function eraseExamples(
  op: Operation,
  { jobId, limits, signal }: { readonly jobId: string; readonly limits: Limits; readonly signal: AbortSignal },
): Promise<void> {
  const { status } = await findJob(op, jobId)
  if (!isFinal(status)) {
    const errorMessage = 'a capture that it learns from was forgotten; compile the captures again'
    await finishFailed(op, { jobId, limits, errorCode: 'capture_forgotten', errorMessage })
  }
  const { datasetSha256, rowsSha256 } = await findJob(op, jobId)
  const ids = await forgottenExamples(op, jobId)
  const dataset = await without(op, { stored: datasetSha256, ids, signal })
  const rows = await without(op, { stored: rowsSha256, ids, signal })
  await op.write(async (tx) => {
    const replaced = await tx.q
      .updateTable('compile_jobs')
      .set({ dataset_sha256: dataset, rows_sha256: rows })
      .where('id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .where('dataset_sha256', 'is not distinct from', datasetSha256 ?? null)
      .where('rows_sha256', 'is not distinct from', rowsSha256 ?? null)
      .executeTakeFirst()
    // Another attempt or housekeeping replaced them meanwhile; the next tick looks again.
    if (replaced.numUpdatedRows === 0n) return
    // Those of an artifact that was published while its capture was being forgotten.
    await forgetRows(tx, { tenantId: op.tenantId, rows: [...ids].map((rowId) => ({ artifactId: jobId, rowId })) })
    await dropSketch(tx, jobId)
    const stages = await tx.q
      .selectFrom('job_stages')
      .select('blob_sha256 as blob')
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .where('blob_sha256', 'is not', null)
      .execute()
    await tx.q
      .updateTable('job_stages')
      .set({ blob_sha256: null })
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    for (const table of ['training_records', 'teacher_rounds'] as const) {
      await tx.q.deleteFrom(table).where('job_id', '=', jobId).where('tenant_id', '=', op.tenantId).execute()
    }
    await tx.q
      .updateTable('compile_captures')
      .set({ erased_at: op.now() })
      .where('tenant_id', '=', op.tenantId)
      .where('job_id', '=', jobId)
      .where(sql<boolean>`capture_id = any(${[...ids]}::text[])`)
      .where('erased_at', 'is', null)
      .execute()
    const before = [datasetSha256, rowsSha256, ...stages.map(({ blob }) => blob)]
    const unused = before.filter((blob) => typeof blob === 'string' && blob !== dataset && blob !== rows)
    await tx.q
      .updateTable('blobs')
      .set({ review_at: sql<Date>`now()` })
      .where(sql<boolean>`sha256 = any(${unused}::text[])`)
      .execute()
  })
}

/** Stores the lines of a blob whose `id` is none of these, and returns its digest; null where nothing was stored. */
async function without(
  op: Operation,
  {
    stored,
    ids,
    signal,
  }: { readonly stored: string | null | undefined; readonly ids: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<Sha256 | null> {
  if (stored === null || stored === undefined) return null
  const digest: Sha256 = `sha256:${stored.slice('sha256:'.length)}`
  const { sha256 } = await putBlob(op.db, linesWithout(readBlob(op.db, digest), ids), { signal })
  return sha256
}

async function* linesWithout(chunks: AsyncIterable<Uint8Array>, ids: ReadonlySet<string>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder()
  for await (const { bytes } of readLines(chunks, LINE_BYTES)) {
    const line: Json = JSON.parse(decoder.decode(bytes))
    const id = isJsonObject(line) ? line['id'] : undefined
    if (typeof id === 'string' && ids.has(id)) continue
    yield Buffer.concat([bytes, LINE_FEED])
  }
}

import type { EvalsDocument } from '../../../core/compile/archive/members/documents.ts'
import { recordsOf, withReport, type RowResultRecord } from '../../../core/compile/artifacts/diagnosis/row-result.ts'
import { readLines } from '../../../core/compile/rows/intake/byte-lines.ts'
import { RowView } from '../../../core/compile/wire/jobs/explain/rows.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { readBlob } from '../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { CompileJob } from '../jobs/compile-job.ts'
import { findJob } from '../jobs/find-job.ts'

/** Longest line of the report of a compile's rows. */
const LINE_BYTES = 64 * 1024 * 1024

/**
 * Returns the results of the rows in evals.json of an artifact, with what the report of its compile's rows adds: the given one,
 * or the stored one while that is kept.
 */
export async function scoredRows(
  op: Operation,
  {
    job,
    evals,
    report,
  }: { readonly job: CompileJob; readonly evals: EvalsDocument; readonly report: Uint8Array | null },
): Promise<readonly RowResultRecord[]> {
  const namespace = namespaceOf(job)
  const records = recordsOf(evals, namespace)
  const bytes = report === null ? await storedReport(op, job.id) : chunkOf(report)
  if (bytes === null) return records
  const places = new Map(records.map(({ rowId }, at) => [rowId, at]))
  const completed = [...records]
  for await (const view of viewsOf(bytes)) {
    const at = places.get(view.id)
    const record = at === undefined ? undefined : completed[at]
    if (at !== undefined && record !== undefined) completed[at] = withReport(record, view, namespace)
  }
  return completed
}

/** Reads the report of a job as it is now; null once it was released. */
async function storedReport(op: Operation, jobId: string): Promise<AsyncIterable<Uint8Array> | null> {
  const digest = reportDigest(await findJob(op, jobId))
  return digest === null ? null : readBlob(op.db, digest)
}

async function* chunkOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Reads which rows of a job were right, in their order; null once the report of its rows was released. */
export async function readRowViews(
  op: Operation,
  job: Pick<CompileJob, 'rowsSha256'>,
): Promise<readonly Pick<RowView, 'id' | 'right' | 'result'>[] | null> {
  const digest = reportDigest(job)
  if (digest === null) return null
  const views: Pick<RowView, 'id' | 'right' | 'result'>[] = []
  for await (const { id, right, result } of viewsOf(readBlob(op.db, digest))) views.push({ id, right, result })
  return views
}

async function* viewsOf(report: AsyncIterable<Uint8Array>): AsyncGenerator<RowView> {
  for await (const { bytes } of readLines(report, LINE_BYTES)) {
    yield RowView.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  }
}

/** Returns the namespace that a job lies in; null for none. */
export function namespaceOf({ spec }: Pick<CompileJob, 'spec'>): string | null {
  const namespace = spec['corpus_namespace']
  return typeof namespace === 'string' ? namespace : null
}

/** Returns the digest of the report of a job's rows; null once it was released. */
export function reportDigest({ rowsSha256 }: Pick<CompileJob, 'rowsSha256'>): Sha256 | null {
  return rowsSha256 === null || rowsSha256 === undefined ? null : `sha256:${rowsSha256.slice('sha256:'.length)}`
}

import { z } from 'zod'
import {
  COMPILE_SOURCE,
  readSource,
  type ResultSource,
  type RowResultRecord,
} from '../../../../core/compile/artifacts/diagnosis/row-result.ts'
import type { RowSources } from '../../../../core/compile/artifacts/diagnosis/thread/row-sources.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import type { ArtifactScore } from '../../../../core/compile/artifacts/diagnosis/diagnose.ts'
import { measurementOf } from '../../../../core/compile/wire/jobs/k-interval.ts'
import { invalidField, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { isJsonObject, type Sha256 } from '../../../../core/kernel/json/json.ts'
import type { Artifact } from '../../../../db/compile/artifacts/artifact.ts'
import { findByCid } from '../../../../db/compile/artifacts/find-artifact.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import { readRowResults } from '../../../../db/compile/row-results/read-row-results.ts'
import { recordLate } from '../../../../db/compile/row-results/row-reports.ts'
import { namespaceOf, reportDigest } from '../../../../db/compile/row-results/scored-rows.ts'
import { getBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import type { CompileServices } from '../../services.ts'

/** Bytes of the report of a compile's rows: rows in full are bounded, digests of the others are short. */
const REPORT_BYTES = 128 * 1024 * 1024

/** Returns the newest artifact with a CID. Throws `not_found`, also for another tenant's. */
export async function artifactOf(op: Operation, cid: string): Promise<Artifact> {
  const [artifact] = await findByCid(op, cid)
  if (artifact === undefined) throw KERNEL_ERRORS.not_found('no artifact has this CID')
  return artifact
}

/** The rows that an artifact was signed with. */
export const COMPILED: ResultSource = { kind: 'compile' }

/** The rows of an artifact that a report may be made of. */
export const SourceField = z
  .string()
  .max(100)
  .default(COMPILE_SOURCE)
  .transform((text, context) => {
    const source = readSource(text)
    if (source !== null) return source
    context.addIssue({ code: 'custom', message: 'must be compile or evaluation:<id>' })
    return z.NEVER
  })
  .meta({
    override: { pattern: '^(?:compile$|evaluation:)' },
    description:
      '`compile`: the rows that the artifact was signed with, as the stored report has them; `evaluation:<id>`: those of an evaluation of it, computed now and not stored',
  })

/**
 * Returns the results of an artifact's rows in an evaluation. Throws `not_found` where it recorded none: a foreign evaluation,
 * one of another artifact, or one that has not ended.
 */
export async function resultsIn(
  op: Operation,
  artifact: Pick<Artifact, 'id'>,
  source: ResultSource,
): Promise<readonly RowResultRecord[]> {
  const recorded = await readRowResults(op, artifact.id, source)
  if (recorded.length > 0) return recorded
  throw invalidField('source', 'no results of this evaluation are recorded for the artifact', KERNEL_ERRORS.not_found)
}

/**
 * Returns the results of an artifact's rows. For one that was published before results were recorded they are read out of
 * its archive, and recorded. Throws `no_row_results`.
 */
export async function resultsOf(
  op: Operation,
  { diagnosis }: Pick<CompileServices, 'diagnosis'>,
  artifact: Artifact,
): Promise<readonly RowResultRecord[]> {
  const recorded = await readRowResults(op, artifact.id, COMPILED)
  if (recorded.length > 0) return recorded
  const { archive, report, namespace } = await sourcesOf(op, artifact)
  const records = await diagnosis.records(op.tenantId, { archive, report, namespace })
  await recordLate(op, { artifactId: artifact.id, cid: artifact.cid }, records)
  const late = await readRowResults(op, artifact.id, COMPILED)
  if (late.length > 0) return late
  throw COMPILE_ERRORS.no_row_results(
    'artifact_cid: no results of its rows are recorded, and its archive holds none; compile it again',
  )
}

/** Returns the archive of an artifact, the report of its compile's rows while that is kept, and its namespace. */
export async function sourcesOf(
  op: Operation,
  artifact: Pick<Artifact, 'id' | 'archiveSha256' | 'sizeBytes'>,
): Promise<Omit<RowSources, 'records' | 'evaluated'> & { readonly namespace: string | null }> {
  const digest: Sha256 = `sha256:${artifact.archiveSha256.slice('sha256:'.length)}`
  const [archive, compiled] = await Promise.all([getBlob(op.db, digest, artifact.sizeBytes), reportOf(op, artifact.id)])
  return { archive, ...compiled }
}

async function reportOf(op: Operation, jobId: string) {
  const job = await findJob(op, jobId)
  const stored = reportDigest(job)
  const report = stored === null ? null : await getBlob(op.db, stored, REPORT_BYTES)
  return { report, namespace: namespaceOf(job) }
}

/** Returns the K-score of an artifact, and the same over its accuracy: what its other axes make of an accuracy. */
export function scoreOf({ kScore, evaluation }: Pick<Artifact, 'kScore' | 'evaluation'>): ArtifactScore {
  const envelope = isJsonObject(evaluation) ? evaluation['k_score_envelope'] : undefined
  const accuracy = measurementOf(envelope)?.accuracy ?? 0
  return { kScore, kPerAccuracy: accuracy === 0 ? 1 : kScore / accuracy }
}

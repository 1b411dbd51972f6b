import { setTimeout as sleep } from 'node:timers/promises'
import { COMPILE_ERRORS, isErrorCode } from '../../../core/compile/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { ExportFile } from '../../../core/model/export/export-file.ts'
import { openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import type { ExportJob } from '../../../db/compile/exports/export-job.ts'
import { findExport } from '../../../db/compile/exports/find-export.ts'
import { beginExport, failExport, succeedExport, type ExportResult } from '../../../db/compile/exports/finish-export.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { inSlot } from '../../compute-slot.ts'
import { codeOfError } from '../../kernel/failures.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { convertArtifact } from './convert-artifact.ts'
import { operationOf, type ExportDeps, type ExportRef } from './deps.ts'

/**
 * Makes the file of an export, stores it and ends the row with it. Safe to repeat: an interrupted attempt leaves
 * nothing visible, and the next one starts over. A permanent error ends the row here, with its message for people; the
 * workflow gets the code.
 */
export async function writeExport(deps: ExportDeps, ref: ExportRef): Promise<{ readonly sizeBytes: number }> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const { exportId } = ref
      try {
        const op = operationOf(deps, ref)
        if (!(await beginExport(op, { exportId, now: deps.now() }))) return await endOf(op, exportId)
        const job = await findExport(op, exportId)
        const result = await inSlot(
          deps,
          { lane: 'short', work: ref },
          activity,
          async (working) => await makeFile(deps, job, working),
        )
        await succeedExport(operationOf(deps, ref), { exportId, result, keptDays: deps.limits.export_days })
        return { sizeBytes: result.sizeBytes }
      } catch (error) {
        if (!activity.signal.aborted && error instanceof DomainError && !error.facts.retryable) {
          await failExport(operationOf(deps, ref), {
            exportId,
            errorCode: codeOfError(error, isErrorCode),
            errorMessage: error.message,
          })
        }
        throw error
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

async function makeFile(deps: ExportDeps, job: ExportJob, activity: RunningActivity): Promise<ExportResult> {
  // Not before this: it may have been revoked since the export was requested.
  const artifact = await openArchive(operationOf(deps, { exportId: job.id, tenantId: job.tenantId }), job.artifactId)
  return await convertArtifact(deps, { job, artifact, signal: activity.signal }, async (file) => {
    const { sha256, sizeBytes } = await putBlob(deps.db, counted(file, activity), { signal: activity.signal })
    return { sha256, sizeBytes, fileName: file.fileName, mediaType: file.mediaType }
  })
}

/** Yields the file with its progress in the heartbeats; lets the event loop turn between pieces made in this thread. */
async function* counted(file: ExportFile, activity: RunningActivity): AsyncIterable<Uint8Array> {
  let done = 0
  for await (const piece of file.pieces()) {
    done += piece.length
    activity.note({ step: 'write', done })
    yield piece
    await sleep(0)
  }
}

/** Returns the result of a finished export to a second attempt. */
async function endOf(op: Operation, exportId: string): Promise<{ readonly sizeBytes: number }> {
  const { state, sizeBytes } = await findExport(op, exportId)
  if (state === 'succeeded') return { sizeBytes: sizeBytes ?? 0 }
  throw COMPILE_ERRORS.already_finished(`the export is ${state} already`)
}

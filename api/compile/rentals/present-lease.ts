import type { z } from 'zod'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { LeaseView } from '../../../core/compile/wire/jobs/rentals/lease.ts'
import { isJsonObject, type Sha256 } from '../../../core/kernel/json/json.ts'
import { findTrainingRecords } from '../../../db/compile/progress/training/training-records.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { findBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { OpenLease } from './lease.ts'

/** Seconds between two reports of progress; a machine that is silent for `rental_silent_s` counts as lost. */
export const REPORT_S = 5

/** Returns the work of a lease. Throws `lease_over` when its rows are no longer kept. */
export async function presentLease(open: OpenLease, limits: Limits): Promise<z.input<typeof LeaseView>> {
  const { lease, op, fit } = open
  const checkpoint = await newestCheckpoint(open)
  return {
    lease_id: lease.id,
    document: await storedBytes(op.db, fit),
    checkpoint:
      checkpoint === null ? null : { ...(await storedBytes(op.db, checkpoint.sha256)), step: checkpoint.step },
    report_every_s: REPORT_S,
    checkpoint_every_s: limits.trainer_checkpoint_s,
  }
}

/** Finds the newest checkpoint of a fit; null before the first. */
export async function newestCheckpoint({ lease, op, fit }: OpenLease) {
  const records = await findTrainingRecords(op, { jobId: lease.jobId, fit })
  const kept = records.get('checkpoint')
  if (kept === undefined || kept.blobSha256 === null) return null
  const step = isJsonObject(kept.facts) ? kept.facts['step'] : 0
  return { sha256: kept.blobSha256, step: typeof step === 'number' ? step : 0 }
}

/** Returns digest and size of stored bytes. Throws `lease_over` when they are no longer kept. */
export async function storedBytes(db: Database, sha256: Sha256) {
  const blob = await findBlob(db, sha256)
  if (blob === null) throw COMPILE_ERRORS.lease_over('the input of the fit is no longer kept')
  return { sha256, size_bytes: blob.sizeBytes }
}

import { collectOrphanedBlobs } from '../../db/blobs/collect-orphans.ts'
import { collectStaleUploads } from '../../db/blobs/collect-uploads.ts'
import { removeDiscardedChunks } from '../../db/blobs/remove-discarded.ts'
import { collectExpiredClaims } from '../../db/idempotency/claims.ts'
import { releaseStageBlobs } from '../../db/jobs/release-stage-blobs.ts'
import { collectExpiredCounts } from '../../db/rate-limits/rate-limiter.ts'
import { reclaimLeases } from '../../db/quota/reclaim.ts'
import { collectExpiredSessions } from '../../db/sessions/collect-sessions.ts'
import type { ReconcileDeps } from './deps.ts'
import type { HousekeepingReport } from './reports.ts'

/** A blob that nobody has written to for this long belongs to a process that died. */
const STALE_UPLOAD_MS = 3_600_000
const DAY_MS = 86_400_000

/** Removes what has expired, one kind after the other; a kind that fails does not keep the others from being done. */
export async function sweepExpired(deps: ReconcileDeps): Promise<HousekeepingReport> {
  const { db } = deps
  const now = deps.now()
  const releasedBefore = new Date(now.getTime() - deps.limits.stage_result_days * DAY_MS)
  const sweeps: Readonly<Record<string, () => Promise<number>>> = {
    leases: () => reclaimLeases(db),
    idempotencyKeys: () => collectExpiredClaims(db, now),
    rateLimits: () => collectExpiredCounts(db, now),
    sessions: () => collectExpiredSessions(db, now),
    stageResults: () => releaseStageBlobs(db, { finishedBefore: releasedBefore }),
    unfinishedUploads: () => collectStaleUploads(db, { olderThanMs: STALE_UPLOAD_MS }),
    orphanedBlobs: () => collectOrphanedBlobs(db, now),
    chunks: () => removeDiscardedChunks(db),
  }
  const report: Record<string, number> = {}
  for (const [what, sweep] of Object.entries(sweeps)) {
    try {
      report[what] = await sweep()
    } catch (error) {
      deps.log.warn({ err: error, what }, 'an expiry sweep failed; the next one tries again')
      report[what] = -1
    }
  }
  return report
}

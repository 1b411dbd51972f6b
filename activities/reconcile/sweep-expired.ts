import { collectStaleUploads } from '../../db/blobs/collect-uploads.ts'
import { collectExpiredClaims } from '../../db/idempotency/claims.ts'
import { collectExpiredCounts } from '../../db/rate-limits/rate-limiter.ts'
import { reclaimLeases } from '../../db/quota/reclaim.ts'
import type { ReconcileDeps } from './deps.ts'
import type { HousekeepingReport } from './reports.ts'

/** A blob that nobody has written to for this long belongs to a process that died. */
const STALE_UPLOAD_MS = 3_600_000

/** Removes what has expired, one kind after the other; a kind that fails does not keep the others from being done. */
export async function sweepExpired(deps: ReconcileDeps): Promise<HousekeepingReport> {
  const { db } = deps
  const sweeps: Readonly<Record<string, () => Promise<number>>> = {
    leases: () => reclaimLeases(db),
    idempotencyKeys: () => collectExpiredClaims(db, deps.now()),
    rateLimits: () => collectExpiredCounts(db, deps.now()),
    unfinishedUploads: () => collectStaleUploads(db, { olderThanMs: STALE_UPLOAD_MS }),
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

import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { releaseEndedJobs } from '../../../db/compile/across/release/release-ended.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'

/** Bytes that were stored again within this time are skipped: the row that names them may be on its way. */
const KEPT_MS = 5 * 60_000
/** Time for one tick; the next one does the rest. */
const COLLECT_MS = 15_000

/**
 * Removes the bytes of failed and cancelled compiles within minutes of their end instead of with the next sweep: they
 * do not count against their tenant's storage, so the disk needs them back soon. Returns how many pieces it removed.
 */
export async function collectSoon(deps: Pick<ReconcileDeps, 'db' | 'now'>, cancelled: AbortSignal): Promise<number> {
  const { db } = deps
  const now = deps.now()
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(COLLECT_MS)])
  const keptBefore = new Date(now.getTime() - KEPT_MS)
  while (!signal.aborted && (await releaseEndedJobs(db, { keptBefore, now })) > 0);
  const unpublished = await collectOrphanedBlobs(db, now, signal)
  return unpublished + (await removeDiscardedChunks(db, signal))
}

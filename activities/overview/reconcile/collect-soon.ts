import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { releaseEndedJobs } from '../../../db/compile/across/release-ended.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'

/** Bytes that somebody stored again within this time are left alone: the row that names them may be on its way. */
const KEPT_MS = 5 * 60_000
/** Time for one tick: what is left over is for the next one. */
const COLLECT_MS = 15_000

/**
 * Removes the bytes of compiles that failed or were cancelled, minutes after their end and not with the next sweep: they
 * cost their tenant nothing, so the disk must have them back soon. Answers how many pieces it removed.
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

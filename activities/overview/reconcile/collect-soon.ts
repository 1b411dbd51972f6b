import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { releaseEndedJobs } from '../../../db/compile/jobs/release-ended.ts'
import type { ReconcileDeps } from './deps.ts'

/** Bytes that somebody stored again within this time are left alone: the row that names them may be on its way. */
const KEPT_MS = 5 * 60_000
/** Time for one tick: what is left over is for the next one. */
const COLLECT_MS = 15_000

/**
 * Removes the bytes of compiles that failed or were cancelled, minutes after their end and not with the next sweep: they
 * cost their tenant nothing, so the disk must have them back soon. Failures are left to the next tick.
 */
export async function collectSoon(
  deps: Pick<ReconcileDeps, 'db' | 'log' | 'now'>,
  cancelled: AbortSignal,
): Promise<void> {
  const { db, log } = deps
  const now = deps.now()
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(COLLECT_MS)])
  try {
    const keptBefore = new Date(now.getTime() - KEPT_MS)
    while (!signal.aborted && (await releaseEndedJobs(db, { keptBefore, now })) > 0);
    await collectOrphanedBlobs(db, now, signal)
    await removeDiscardedChunks(db, signal)
  } catch (error) {
    log.warn({ err: error }, 'bytes of ended compiles could not be collected; the next tick tries again')
  }
}

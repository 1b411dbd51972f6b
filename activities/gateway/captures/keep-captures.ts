import { makeMonths } from '../../../db/gateway/across/capture-months.ts'
import { removeMonths } from '../../../db/gateway/across/remove-months.ts'
import { countCalls } from '../../../db/gateway/across/count-calls.ts'
import { scanNewCaptures } from '../../../db/gateway/across/scan-copyright.ts'
import { indexCaptureTexts, signCaptureChains } from '../../../db/gateway/across/keep-captures.ts'
import type { CaptureDeps } from './deps.ts'

/** Results of the chores of captures; -1 for a failed one, which the next run tries again. */
export interface CaptureReport {
  /** Partitions that were made. */
  readonly made: number
  /** Chains whose head was signed. */
  readonly signed: number
  /** Captures that entered the sums by day. */
  readonly counted: number
  /** Captures that the copyright heuristic read. */
  readonly scanned: number
  /** Captures whose texts entered the index of the search. */
  readonly indexed: number
  /** Months that were removed because their days were over. */
  readonly removed: number
}

/** Time for one run; the next one does the rest. Below the interval of the schedule. */
const RUN_MS = 50_000

/**
 * Makes partitions ahead of time, signs the chains that grew, removes months beyond `capture_days`, counts new captures in
 * the sums by day, indexes their texts, and scans them for copyright for as long as the run has time. A failed chore does not
 * stop the others. Throws when `cancelled` is aborted.
 */
export async function keepCaptures(deps: CaptureDeps, cancelled: AbortSignal): Promise<CaptureReport> {
  const { db, limits, signer } = deps
  const now = deps.now()
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(RUN_MS)])
  const chore = async (what: string, work: () => Promise<number>): Promise<number> => {
    try {
      return await work()
    } catch (error) {
      deps.log.warn({ err: error, what }, 'a chore of captures failed; the next run tries again')
      return -1
    }
  }
  const made = await chore('partitions', async () => await makeMonths(db, now))
  const signed = await chore('sign', async () => await signCaptureChains(db, { now, signer, signal }))
  const removed = await chore(
    'remove',
    async () => await removeMonths(db, { now, keptDays: limits.capture_days, signer, signal }),
  )
  const counted = await chore('count', async () => await countCalls(db, signal))
  const indexed = await chore('index', async () => await indexCaptureTexts(db, signal))
  const scanned = await chore('scan', async () => await scanNewCaptures(db, now, signal))
  cancelled.throwIfAborted()
  return { made, signed, counted, scanned, indexed, removed }
}

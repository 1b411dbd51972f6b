import { collectPaymentEvents } from '../../../db/billing/events/collect-events.ts'
import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { collectStaleUploads } from '../../../db/kernel/blobs/collect-uploads.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { collectUnpaidCompute } from '../../../db/compile/compute/record-compute.ts'
import { releaseExports } from '../../../db/compile/exports/release-exports.ts'
import { collectExpiredClaims } from '../../../db/kernel/idempotency/claims.ts'
import { foldHours } from '../../../db/compile/invocations/fold-hours.ts'
import { releaseDatasets } from '../../../db/compile/jobs/release-datasets.ts'
import { releaseStageBlobs } from '../../../db/compile/jobs/stages/release-stage-blobs.ts'
import { collectControlEvents } from '../../../db/gateway/control/collect-events.ts'
import { collectExpiredCounts } from '../../../db/kernel/rate-limits/rate-limiter.ts'
import { collectMails, collectMailTokens } from '../../../db/accounts/mails/collect-mails.ts'
import { notifyQuota } from '../../../db/billing/quota/notify-quota.ts'
import { reclaimLeases } from '../../../db/billing/quota/reclaim.ts'
import { collectShareLinks } from '../../../db/compile/share-links/collect-share-links.ts'
import { expireWorkspaces } from '../../../db/overview/across/deletion/expire-workspaces.ts'
import { requestPurges } from '../../../db/overview/across/deletion/request-purges.ts'
import { collectExpiredLogins } from '../../../db/accounts/sso/login-attempts.ts'
import { rewrapSecrets } from '../../../db/ledger/across/rewrap-secrets.ts'
import { collectRounds } from '../../../db/compile/teacher-samples/rounds.ts'
import { collectTraining } from '../../../db/compile/training/training-records.ts'
import { collectExpiredSessions } from '../../../db/accounts/sessions/collect-sessions.ts'
import type { ReconcileDeps } from '../reconcile/deps.ts'
import type { HousekeepingReport } from '../reconcile/reports.ts'

/** An upload without a write for this long belongs to a process that died. */
const STALE_UPLOAD_MS = 15 * 60_000
const DAY_MS = 86_400_000
/** How long it can be seen that a mail was sent, and that a token is used or came too late. */
const MAIL_DAYS = 30
const MAIL_TOKEN_DAYS = 7
/** How long it can be seen what a tenant used in a day. */
const COMPUTE_DAYS = 35
/** How long calls are counted by the hour: a little longer than the 30 days that accounts look back. */
const HOUR_DAYS = 35
/** How long it can be seen that a share link was there. */
const SHARE_LINK_DAYS = 30
/** Time for one sweep: what is left over is for the next one. Well below the activity's own limit (HOUSEKEEPING). */
const SWEEP_MS = 60_000

/**
 * Removes what has expired, one kind after the other; a kind that fails does not keep the others from being done. Ends
 * after about a minute, whatever is left, and throws when `cancelled` is aborted: so no sweep goes on beside the next.
 */
export async function sweepExpired(deps: ReconcileDeps, cancelled: AbortSignal): Promise<HousekeepingReport> {
  const { db } = deps
  const now = deps.now()
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(SWEEP_MS)])
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * DAY_MS)
  const { stage_result_days: stageResultDays, dataset_days: datasetDays } = deps.limits
  const sweeps: Readonly<Record<string, () => Promise<number>>> = {
    // Only while there is an old key to get away from.
    ...(db.secrets.hasOldKeys && {
      oldMasterKeys: async () => (await rewrapSecrets(db, { signal, now: deps.now })).rewrapped,
    }),
    leases: () => reclaimLeases(db),
    unpaidCompute: () => collectUnpaidCompute(db, daysAgo(COMPUTE_DAYS)),
    quotaMails: () => notifyQuota(db, { limits: deps.limits, now }),
    idempotencyKeys: () => collectExpiredClaims(db, now),
    rateLimits: () => collectExpiredCounts(db, now, signal),
    hoursOfCalls: () => foldHours(db, { before: daysAgo(HOUR_DAYS) }, signal),
    controlEvents: () => collectControlEvents(db, { receivedBefore: daysAgo(deps.limits.control_event_days) }, signal),
    shareLinks: () => collectShareLinks(db, { endedBefore: daysAgo(SHARE_LINK_DAYS) }, signal),
    sessions: () => collectExpiredSessions(db, now),
    workspaces: () => expireWorkspaces(db, now),
    deletedTenants: () => requestPurges(db, { limits: deps.limits, now }),
    logins: () => collectExpiredLogins(db, now),
    paymentEvents: () => collectPaymentEvents(db, { receivedBefore: daysAgo(deps.limits.payment_event_days) }),
    mails: () => collectMails(db, { createdBefore: daysAgo(MAIL_DAYS) }),
    mailTokens: () => collectMailTokens(db, { expiredBefore: daysAgo(MAIL_TOKEN_DAYS) }),
    stageResults: () => releaseStageBlobs(db, { finishedBefore: daysAgo(stageResultDays) }),
    datasets: () =>
      releaseDatasets(db, { unsignedBefore: daysAgo(stageResultDays), signedBefore: daysAgo(datasetDays) }),
    exports: () => releaseExports(db, now),
    teacherRounds: () => collectRounds(db, { finishedBefore: daysAgo(stageResultDays) }),
    trainingRecords: () => collectTraining(db),
    unfinishedUploads: () => collectStaleUploads(db, { olderThanMs: STALE_UPLOAD_MS }),
    orphanedBlobs: () => collectOrphanedBlobs(db, now, signal),
    chunks: () => removeDiscardedChunks(db, signal),
  }
  const report: Record<string, number> = {}
  for (const [what, sweep] of Object.entries(sweeps)) {
    if (signal.aborted) break
    try {
      report[what] = await sweep()
    } catch (error) {
      deps.log.warn({ err: error, what }, 'an expiry sweep failed; the next one tries again')
      report[what] = -1
    }
  }
  cancelled.throwIfAborted()
  return report
}

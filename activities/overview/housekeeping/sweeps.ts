import type { Limits } from '../../../core/overview/limits.ts'
import { collectPaymentEvents } from '../../../db/billing/across/collect-events.ts'
import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { collectStaleUploads } from '../../../db/kernel/blobs/collect-uploads.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { collectUnpaidCompute } from '../../../db/compile/across/collect-unpaid-compute.ts'
import { releaseExports } from '../../../db/compile/across/release-exports.ts'
import { collectExpiredClaims } from '../../../db/kernel/idempotency/claims.ts'
import { foldHours } from '../../../db/compile/across/fold-hours.ts'
import { releaseDatasets } from '../../../db/compile/across/release-datasets.ts'
import { collectControlEvents } from '../../../db/gateway/across/collect-events.ts'
import { collectExpiredCounts } from '../../../db/kernel/rate-limits/rate-limiter.ts'
import {
  collectExpiredLogins,
  collectExpiredSessions,
  collectMails,
  collectMailTokens,
} from '../../../db/accounts/across/sweeps.ts'
import { notifyQuota } from '../../../db/billing/across/notify-quota.ts'
import { reclaimLeases } from '../../../db/billing/across/reclaim-leases.ts'
import { collectShareLinks } from '../../../db/compile/across/collect-share-links.ts'
import { collectContacts } from '../../../db/overview/across/contacts/collect-contacts.ts'
import { expireWorkspaces } from '../../../db/overview/across/deletion/expire-workspaces.ts'
import { requestPurges } from '../../../db/overview/across/deletion/request-purges.ts'
import { rewrapSecrets } from '../../../db/ledger/across/rewrap-secrets.ts'
import { collectRounds, collectTraining, releaseStageBlobs } from '../../../db/compile/across/collect-finished.ts'
import type { Chore } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'

/** An upload without a write for this long belongs to a dead process. */
const STALE_UPLOAD_MS = 15 * 60_000
const DAY_MS = 86_400_000
/** Retention of the record that a mail was sent, and of used or expired tokens. */
const MAIL_DAYS = 30
const MAIL_TOKEN_DAYS = 7
/** Retention of a tenant's usage by day. */
const COMPUTE_DAYS = 35
/** Retention of hourly call counts: a little longer than the 30 days that accounts look back. */
const HOUR_DAYS = 35
/** Retention of ended share links. */
const SHARE_LINK_DAYS = 30

/** Dependencies of a sweep. */
interface Sweeping extends ReconcileDeps<Limits> {
  readonly at: Date
  /** Returns the time this many days ago. */
  readonly daysAgo: (days: number) => Date
  readonly signal: AbortSignal
}

/** Makes a sweep a chore; the sweep returns how many rows it removed. */
function sweep(name: string, summary: string, run: (on: Sweeping) => Promise<number>): Chore<ReconcileDeps<Limits>> {
  return {
    name,
    summary,
    run: async (deps, { signal }) => {
      const at = deps.now()
      const daysAgo = (days: number): Date => new Date(at.getTime() - days * DAY_MS)
      return { swept: await run({ ...deps, at, daysAgo, signal }) }
    },
  }
}

/** The sweeps of housekeeping, four at a time in this order: space that others release is collected last. */
export const SWEEPS: readonly Chore<ReconcileDeps<Limits>>[] = [
  sweep('oldMasterKeys', 'Re-encrypt secrets that an old master key sealed', async ({ db, signal, now }) =>
    db.secrets.hasOldKeys ? (await rewrapSecrets(db, { signal, now })).rewrapped : 0,
  ),
  sweep('leases', 'Reclaim quota leases of dead processes', async ({ db }) => await reclaimLeases(db)),
  sweep('unpaidCompute', 'Remove old days of unpaid compute', async ({ db, daysAgo }) =>
    collectUnpaidCompute(db, daysAgo(COMPUTE_DAYS)),
  ),
  sweep('quotaMails', 'Notify tenants that used 80 or 100 percent of their quota', async ({ db, limits, at }) =>
    notifyQuota(db, { limits, now: at }),
  ),
  sweep('idempotencyKeys', 'Remove expired claims of Idempotency-Keys', async ({ db, at, signal }) =>
    collectExpiredClaims(db, at, signal),
  ),
  sweep('rateLimits', 'Remove expired counts of rate limits', async ({ db, at, signal }) =>
    collectExpiredCounts(db, at, signal),
  ),
  sweep('hoursOfCalls', 'Fold old hours of calls into totals', async ({ db, daysAgo, signal }) =>
    foldHours(db, { before: daysAgo(HOUR_DAYS) }, signal),
  ),
  sweep('controlEvents', 'Remove old events of the control center', async ({ db, limits, daysAgo, signal }) =>
    collectControlEvents(db, { receivedBefore: daysAgo(limits.control_event_days) }, signal),
  ),
  sweep('shareLinks', 'Remove ended share links', async ({ db, daysAgo, signal }) =>
    collectShareLinks(db, { endedBefore: daysAgo(SHARE_LINK_DAYS) }, signal),
  ),
  sweep('contacts', 'Remove old messages and places on the waitlist', async ({ db, limits, daysAgo, signal }) =>
    collectContacts(db, { createdBefore: daysAgo(limits.contact_days) }, signal),
  ),
  sweep('sessions', 'Remove expired sessions', async ({ db, at, signal }) => collectExpiredSessions(db, at, signal)),
  sweep('workspaces', 'End expired anonymous workspaces', async ({ db, at }) => expireWorkspaces(db, at)),
  sweep(
    'deletedTenants',
    'Request the purge of deleted tenants whose grace period is over',
    async ({ db, limits, at }) => requestPurges(db, { limits, now: at }),
  ),
  sweep('logins', 'Remove expired sign-in attempts', async ({ db, at, signal }) =>
    collectExpiredLogins(db, at, signal),
  ),
  sweep('paymentEvents', 'Remove old events of the payment processor', async ({ db, limits, daysAgo }) =>
    collectPaymentEvents(db, { receivedBefore: daysAgo(limits.payment_event_days) }),
  ),
  sweep('mails', 'Remove old mails', async ({ db, daysAgo, signal }) =>
    collectMails(db, { createdBefore: daysAgo(MAIL_DAYS) }, signal),
  ),
  sweep('mailTokens', 'Remove old mail tokens', async ({ db, daysAgo, signal }) =>
    collectMailTokens(db, { expiredBefore: daysAgo(MAIL_TOKEN_DAYS) }, signal),
  ),
  sweep('stageResults', 'Release the stage data of finished compiles', async ({ db, limits, daysAgo }) =>
    releaseStageBlobs(db, { finishedBefore: daysAgo(limits.stage_result_days) }),
  ),
  sweep('datasets', 'Release the examples of finished compiles', async ({ db, limits, daysAgo }) =>
    releaseDatasets(db, {
      unsignedBefore: daysAgo(limits.stage_result_days),
      signedBefore: daysAgo(limits.dataset_days),
    }),
  ),
  sweep('exports', 'Release the files of expired exports', async ({ db, at }) => releaseExports(db, at)),
  sweep('teacherRounds', 'Remove the samples of old teacher rounds', async ({ db, limits, daysAgo }) =>
    collectRounds(db, { finishedBefore: daysAgo(limits.stage_result_days) }),
  ),
  sweep('trainingRecords', 'Remove the training records of finished compiles', async ({ db }) => collectTraining(db)),
  sweep('unfinishedUploads', 'Discard uploads of dead processes', async ({ db }) =>
    collectStaleUploads(db, { olderThanMs: STALE_UPLOAD_MS }),
  ),
  sweep('orphanedBlobs', 'Unpublish blobs that no row names', async ({ db, at, signal }) =>
    collectOrphanedBlobs(db, at, signal),
  ),
  sweep('chunks', 'Remove the bytes of unpublished blobs', async ({ db, signal }) => removeDiscardedChunks(db, signal)),
]

import type { Limits } from '../../../core/overview/limits.ts'
import { notifyQuota } from '../../../db/billing/across/notify-quota.ts'
import { reclaimLeases } from '../../../db/billing/across/reclaim-leases.ts'
import {
  collectRounds,
  collectTraining,
  releaseStageBlobs,
} from '../../../db/compile/across/release/collect-finished.ts'
import { foldHours } from '../../../db/compile/across/fold-hours.ts'
import { releaseDatasets } from '../../../db/compile/across/release/release-datasets.ts'
import { releaseExports } from '../../../db/compile/across/release/release-exports.ts'
import { chargeAbandoned } from '../../../db/gateway/across/charge-abandoned.ts'
import { expireReferences } from '../../../db/gateway/across/expire-references.ts'
import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { collectStaleUploads } from '../../../db/kernel/blobs/collect-uploads.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { rewrapSecrets } from '../../../db/ledger/across/rewrap-secrets.ts'
import { expireWorkspaces } from '../../../db/overview/across/deletion/expire-workspaces.ts'
import { requestPurges } from '../../../db/overview/across/deletion/request-purges.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'

/** An upload without a write for this long belongs to a dead process. */
const STALE_UPLOAD_MS = 15 * 60_000

/** Dependencies of a sweep. */
export interface Sweeping extends ReconcileDeps<Limits> {
  readonly at: Date
  /** Returns the time since which rows are kept: this many days ago, or those of a limit. */
  readonly keptSince: (keptDays: number | `${string}_days`) => Date
  readonly signal: AbortSignal
}

/** Sweeps with a function of their own return how many rows they removed or released. */
type Run = (on: Sweeping, before: Date) => Promise<number>

/** Sweeps of no table. */
export const SWEEPS_OF_NO_TABLE: Readonly<Record<string, { readonly summary: string; readonly run: Run }>> = {
  oldMasterKeys: {
    summary: 'Re-encrypt secrets that an old master key sealed',
    run: async ({ db, signal, now }) =>
      db.secrets.hasOldKeys ? (await rewrapSecrets(db, { signal, now })).rewrapped : 0,
  },
  quotaMails: {
    summary: 'Notify tenants that used 80 or 100 percent of their quota',
    run: async ({ db, limits, at }) => await notifyQuota(db, { limits, now: at }),
  },
}

/** The functions of the sweeps that the facts of tables call special. Those that free space come last. */
export const SPECIAL_SWEEPS: Readonly<Record<string, Run>> = {
  leases: async ({ db }) => await reclaimLeases(db),
  budgetReservations: async ({ db }) => await chargeAbandoned(db),
  responseReferences: async ({ db, signal }, before) => await expireReferences(db, before, signal),
  hoursOfCalls: async ({ db, signal }, before) => await foldHours(db, { before }, signal),
  workspaces: async ({ db, at, signal }) => await expireWorkspaces(db, at, signal),
  deletedTenants: async ({ db, limits, at, signal }) => await requestPurges(db, { limits, now: at }, signal),
  stageResults: async ({ db, signal }, finishedBefore) => await releaseStageBlobs(db, { finishedBefore }, signal),
  datasets: async ({ db, keptSince, signal }, signedBefore) =>
    await releaseDatasets(db, { unsignedBefore: keptSince('stage_result_days'), signedBefore }, signal),
  exports: async ({ db, at, signal }) => await releaseExports(db, at, signal),
  teacherRounds: async ({ db, signal }, finishedBefore) => await collectRounds(db, { finishedBefore }, signal),
  trainingRecords: async ({ db, signal }) => await collectTraining(db, signal),
  unfinishedUploads: async ({ db }) => await collectStaleUploads(db, { olderThanMs: STALE_UPLOAD_MS }),
  orphanedBlobs: async ({ db, at, signal }) => await collectOrphanedBlobs(db, at, signal),
  chunks: async ({ db, signal }) => await removeDiscardedChunks(db, signal),
}

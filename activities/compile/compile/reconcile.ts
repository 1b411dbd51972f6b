import type { Limits } from '../../../core/compile/limits.ts'
import { Compile } from '../../../core/compile/workflows.ts'
import { finishCancelled, finishFailed } from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import { admitWaiting } from '../../../db/compile/across/admit-waiting.ts'
import { listOpenJobs } from '../../../db/compile/across/open-jobs.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { failureText } from './finish.ts'

/** Number of tenants whose waiting jobs are admitted per tick. */
const TENANTS_PER_TICK = 500

/** Cancels a job whose run was cancelled in Temporal, and fails one whose run ended without ending it. */
export const reconcileCompiles = reconciles({
  family: Compile,
  admit: async ({ db, limits, now }: ReconcileDeps<Limits>) =>
    (await admitWaiting(db, { limits, batch: TENANTS_PER_TICK, now: now() })).length,
  open: async ({ db }, page) => await listOpenJobs(db, page),
  settle: async ({ db, limits, now }: ReconcileDeps<Limits>, { jobId, tenantId }, end) => {
    const op = systemOperation(db, { tenantId, name: 'reconcile', requestId: jobId, now })
    const finished =
      end === 'cancelled'
        ? await finishCancelled(op, { jobId, limits })
        : await finishFailed(op, {
            jobId,
            limits,
            errorCode: 'compile_failed',
            errorMessage: failureText('compile_failed'),
          })
    return finished.isFirst
  },
})

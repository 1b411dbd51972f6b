import type { Verdict } from '../../../core/compile/stages/judge/verdict.ts'
import type { ErrorCode } from '../../../core/compile/errors.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import * as db from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import type { FinishedJob } from '../../../db/compile/jobs/finish/finish.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type CompileDeps } from './deps.ts'
import { evaluationDocument, failingRowIds } from './stages/evaluation.ts'
import type { FailedJob, FinalJob, JobRef } from './results.ts'
import { loadVerdict } from './stage-data.ts'

/** Returns the result of ending a job, for the workflow. */
export function finalJob(job: CompileJob): FinalJob {
  return {
    status: job.status,
    kScore: job.kScore === null ? null : Number(job.kScore),
    errorCode: job.errorCode ?? null,
    stage: job.stage,
  }
}

/** Ends a job below its floor, with the rows that count against it. A no-op for a job that is over. */
export async function finishGated(deps: CompileDeps, ref: JobRef): Promise<FinalJob> {
  return await runActivity(deps.log, async () => await endGated(deps, ref, await loadVerdict(deps, ref)))
}

/** Does the work of `finishGated`, within an activity. */
export async function endGated(deps: CompileDeps, ref: JobRef, verdict: Verdict): Promise<FinalJob> {
  const { k_score: kScore, floor } = verdict.gate
  const { job } = await db.finishGated(operationOf(deps, ref), {
    jobId: ref.jobId,
    limits: deps.limits,
    kScore,
    evaluation: evaluationDocument(verdict),
    failingRows: failingRowIds(verdict),
    failingCount: verdict.gate.failing_count,
    message: verdict.gate.reason ?? `the K-score ${kScore} is below the floor ${floor}`,
  })
  return finalJob(job)
}

/** Fails a job. A no-op for a job that is over, which keeps its result. */
export async function finishFailed(deps: CompileDeps, ref: FailedJob): Promise<FinalJob> {
  return await concludeJob(deps, () =>
    db.finishFailed(operationOf(deps, ref), {
      jobId: ref.jobId,
      limits: deps.limits,
      errorCode: ref.errorCode,
      errorMessage: failureText(ref.errorCode),
    }),
  )
}

/** Ends a cancelled job. A no-op for a job that is over. */
export async function finishCancelled(deps: CompileDeps, ref: JobRef): Promise<FinalJob> {
  return await concludeJob(deps, () =>
    db.finishCancelled(operationOf(deps, ref), { jobId: ref.jobId, limits: deps.limits }),
  )
}

async function concludeJob(deps: CompileDeps, finish: () => Promise<FinishedJob>): Promise<FinalJob> {
  return await runActivity(deps.log, async () => {
    const finished = await finish()
    return finalJob(finished.job)
  })
}

/** Returns the text for a failure whose own message was not stored. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'the compile was given up after hours of trying, because a part of the service did not answer'
    case 'rental_budget_used':
      return 'the budget was used up before the adapter was fitted; its checkpoint is kept for some days, so the same compile with a new budget goes on from there'
    case 'rental_failed':
      return 'no machine could be rented that fitted the adapter; the log of the job says why. If one reached a checkpoint, it is kept for some days'
    case 'rental_not_configured':
      return 'the lane has no key any more: store one, or ask the operator'
    case 'compile_failed':
      return 'the compile ended before it was done; start it again'
    default:
      return 'the compile failed for a reason that is not the fault of the examples; start it again'
  }
}

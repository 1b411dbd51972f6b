import { findAcceptance } from '../../../../db/compile/progress/acceptances/find-acceptance.ts'
import { failAcceptance as endFailed } from '../../../../db/compile/progress/acceptances/fail-acceptance.ts'
import { requireKeptCandidate } from '../../../../db/compile/progress/acceptances/kept-candidate.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import { runActivity } from '../../../kernel/run-activity.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import { finalJob } from '../finish.ts'
import type { FailedJob, FinalJob, JobRef } from '../results.ts'
import { runStages } from '../run-stage.ts'
import { bundleStage } from './bundle.ts'
import { signStage } from './sign.ts'

/**
 * Bundles, signs and publishes the best candidate of a gated job that was accepted. Safe to repeat: each stage records
 * its result before the next, and a job whose acceptance is over stays as it is. Throws `candidate_expired`.
 */
export async function signAccepted(deps: CompileDeps, ref: JobRef): Promise<FinalJob> {
  return await runStages(
    deps,
    ref,
    async (work) => {
      const op = operationOf(deps, ref)
      const acceptance = await findAcceptance(op, ref.jobId)
      if (acceptance?.state !== 'pending') return finalJob(await findJob(op, ref.jobId))
      await requireKeptCandidate(op, ref.jobId)
      await bundleStage(work)
      return await signStage(work)
    },
    { goesOn: true },
  )
}

/** Ends an acceptance whose candidate could not be signed. A no-op for one that is over. */
export async function failAcceptance(deps: CompileDeps, { errorCode, ...ref }: FailedJob): Promise<void> {
  await runActivity(deps.log, async () => {
    await endFailed(operationOf(deps, ref), { jobId: ref.jobId, errorCode })
  })
}

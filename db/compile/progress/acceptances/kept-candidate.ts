import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import { stageResult } from '../../jobs/stages/stages.ts'

/**
 * Checks that the stages of a gated job still hold its best candidate: housekeeping releases it `stage_result_days`
 * after the job's end. Throws `candidate_expired`.
 */
export async function requireKeptCandidate(from: Reader, jobId: string): Promise<void> {
  const verified = await stageResult(from, { jobId, stage: 'verify' })
  const fitted = await stageResult(from, { jobId, stage: 'lora-fit' })
  const holder = fitted === null || fitted.outcome === 'skipped' ? verified : fitted
  if (holder === null || holder.blobSha256 === null) {
    throw COMPILE_ERRORS.candidate_expired('the candidate is no longer kept: compile the examples again')
  }
}

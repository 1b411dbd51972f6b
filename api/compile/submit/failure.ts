import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { ERROR_CODES, isErrorCode } from '../../../core/errors.ts'
import type { DomainError } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'

/** Number of failing rows that an error names. */
const NAMED_ROWS = 100

/** Returns the error of a job that did not end ready, for a waiting caller: the code of the job, and its id. */
export function failureOf(job: CompileJob): DomainError {
  const poll = `/v1/compile/${job.id}`
  if (job.status === 'gated') return gateMiss(job)
  if (job.status === 'cancelled') {
    return MODEL_ERRORS.compile_cancelled('the compile was cancelled', { details: { job_id: job.id, poll } })
  }
  const code = isErrorCode(job.errorCode) ? job.errorCode : 'compile_failed'
  const open = notEvaluated(job)
  return ERROR_CODES[code](job.errorMessage ?? 'the compile failed', {
    details: { job_id: job.id, poll, ...(open !== undefined && { not_evaluated: open }) },
  })
}

/** `k_score_below_floor` with the score, the floor and the rows that count against it. */
export function gateMiss(job: CompileJob): DomainError {
  const rows = job.failingRows ?? []
  return COMPILE_ERRORS.k_score_below_floor(job.errorMessage ?? 'the K-score is below the floor', {
    details: {
      job_id: job.id,
      poll: `/v1/compile/${job.id}`,
      k_score: job.kScore ?? 0,
      k_score_floor: job.kScoreFloor,
      failing_rows: rows.slice(0, NAMED_ROWS),
      failing_row_count: countFailing(job),
    },
  })
}

/** The rows that a failed evaluation lacks, by kind. */
function notEvaluated({ evaluation }: CompileJob): Json | undefined {
  const facts = evaluation ?? undefined
  return isJsonObject(facts) ? facts['not_evaluated'] : undefined
}

/** All rows that count against the gate; the list of a job names the first of them. */
function countFailing({ evaluation, failingRows }: CompileJob): number {
  const facts = evaluation ?? undefined
  const count = isJsonObject(facts) ? facts['failing_count'] : undefined
  return typeof count === 'number' ? count : (failingRows?.length ?? 0)
}

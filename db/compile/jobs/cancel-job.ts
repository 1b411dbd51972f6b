import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { Operation } from '../../kernel/operation.ts'
import { findJobStatus } from './find-job.ts'
import { finishCancelled } from './finish/finish-otherwise.ts'
import type { FinishedJob } from './finish/finish.ts'

/**
 * Cancels a job of the tenant at once; the caller also ends its workflow, whose activities find `compile_cancelled`
 * wherever they are. Repeating it is harmless. Throws `not_found`, and `already_finished` for a job with another end.
 */
export async function cancelJob(
  op: Operation,
  input: { readonly jobId: string; readonly limits: Limits },
): Promise<FinishedJob> {
  await findJobStatus(op, input.jobId)
  const finished = await finishCancelled(op, input)
  if (finished.job.status !== 'cancelled') {
    throw COMPILE_ERRORS.already_finished(`the job is ${finished.job.status} already`, {
      details: { status: finished.job.status },
    })
  }
  return finished
}

import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { isOneOf, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { cancelJob } from '../../compile/jobs/cancel-job.ts'
import type { Operation } from '../../kernel/operation.ts'
import { findRun } from './find-run.ts'
import { cancelRun, type AlsoWritten } from './finish-run.ts'

/** Workflows that the caller ends after a cancellation: of the run, and of its compile where one was cancelled. */
export type CancelledWorkflows = readonly string[]

/**
 * Cancels a run and its compile at once. A run that was cancelled before it trained has no compile; one whose compile has
 * just ended keeps that end. `also` is written with the end of the run, where this call ends it. Throws `not_found`, and
 * `already_finished` for a run with another end.
 */
export async function cancelWithCompile(
  op: Operation,
  { runId, limits, also }: { readonly runId: string; readonly limits: Limits; readonly also?: AlsoWritten },
): Promise<CancelledWorkflows> {
  const { jobId } = await findRun(op, runId)
  await cancelRun(op, runId, also)
  try {
    await cancelJob(op, { jobId, limits })
    return [runId, jobId]
  } catch (error) {
    if (isOneOf(error, [KERNEL_ERRORS.not_found, COMPILE_ERRORS.already_finished])) return [runId]
    throw error
  }
}

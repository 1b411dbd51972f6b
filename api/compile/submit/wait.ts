import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { isFinal } from '../../../core/compile/rows/task.ts'
import { findAcceptance } from '../../../db/compile/progress/acceptances/find-acceptance.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { subscribeJobEnd } from '../../../db/compile/progress/events/subscribe.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { CallFacts } from '../services.ts'
import { failureOf } from './failure.ts'
import { waitForEnd, type AwaitedWork } from './wait-for-end.ts'

/** A call that waits for a job. */
type WaitingCall = Pick<CallFacts, 'services' | 'endOfCall'> & { readonly op: Operation }

type WaitedJob = Omit<AwaitedWork, 'seconds'>

async function waitForJob(call: WaitingCall, work: WaitedJob): Promise<void> {
  await waitForEnd(call, { ...work, seconds: call.services.limits.sync_compile_wait_s })
}

/**
 * Waits for the end of a job that was just submitted, at most `sync_compile_wait_s` seconds: the finished job, or
 * undefined when it continues. Throws what `failureOf` tells of a job that ended otherwise than ready.
 */
export async function waitUntilReady(call: WaitingCall, jobId: string): Promise<CompileJob | undefined> {
  const seen: { job?: CompileJob } = {}
  const isOver = async (): Promise<boolean> => {
    seen.job = await findJob(call.op, jobId)
    return isFinal(seen.job.status)
  }
  await waitForJob(call, { id: jobId, isOver, subscribe: subscribeJobEnd })
  const job = seen.job !== undefined && isFinal(seen.job.status) ? seen.job : await findJob(call.op, jobId)
  if (job.status !== 'ready' && isFinal(job.status)) throw failureOf(job)
  return job.status === 'ready' ? job : undefined
}

/**
 * Waits until the candidate of an accepted job is signed, at most `sync_compile_wait_s` seconds: the job with its
 * artifact, or undefined when that takes longer. Throws `compile_failed` when the acceptance failed.
 */
export async function waitUntilAccepted(call: WaitingCall, jobId: string): Promise<CompileJob | undefined> {
  const acceptance = async () => await findAcceptance(call.op, jobId)
  await waitForJob(call, { id: jobId, isOver: async () => (await acceptance())?.state !== 'pending' })
  const [job, ended] = [await findJob(call.op, jobId), await acceptance()]
  if (ended?.state === 'failed') {
    throw COMPILE_ERRORS.compile_failed('the accepted candidate could not be signed; nothing was charged', {
      details: { job_id: jobId, poll: `/v1/compile/${jobId}`, error_code: ended.errorCode ?? 'internal' },
    })
  }
  return job.status === 'ready' ? job : undefined
}

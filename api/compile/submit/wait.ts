import { isFinal } from '../../../core/compile/task.ts'
import { subscribeJob } from '../../../db/compile/events/subscribe.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { findJob, findJobStatus } from '../../../db/compile/jobs/find-job.ts'
import type { Notifications } from '../../../db/kernel/notifications.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { createEventWait } from '../../kernel/reply/events.ts'
import type { CallFacts } from '../services.ts'
import { failureOf } from './failure.ts'

/**
 * Waits for a notification of the database that the job has ended, without polling. Returns the job at that time, or
 * after `timeoutMs`, or when `signal` is aborted.
 */
async function waitForEnd(
  op: Operation,
  notifications: Notifications,
  input: { readonly jobId: string; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<CompileJob> {
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(input.timeoutMs)])
  const wait = createEventWait(signal)
  const unsubscribe = subscribeJob(notifications, input.jobId, () => wait.wake())
  try {
    for (;;) {
      const status = await findJobStatus(op, input.jobId)
      if (isFinal(status) || (await wait.next()) === 'ended') return await findJob(op, input.jobId)
    }
  } finally {
    unsubscribe()
  }
}

/**
 * Waits for the end of a job that was just submitted, at most `sync_compile_wait_s` seconds: the finished job, or
 * undefined when it goes on. Throws what `failureOf` tells of a job that ended otherwise than ready.
 */
export async function waitUntilReady(
  call: Pick<CallFacts, 'services' | 'endOfCall'> & { readonly op: Operation },
  jobId: string,
): Promise<CompileJob | undefined> {
  const { services } = call
  const job = await waitForEnd(call.op, services.notifications, {
    jobId,
    timeoutMs: services.limits.sync_compile_wait_s * 1000,
    signal: call.endOfCall(),
  })
  if (job.status !== 'ready' && isFinal(job.status)) throw failureOf(job)
  return job.status === 'ready' ? job : undefined
}

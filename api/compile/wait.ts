import { isFinal } from '../../core/compiler/task.ts'
import { subscribeJob } from '../../db/events/subscribe.ts'
import type { CompileJob } from '../../db/jobs/compile-job.ts'
import { findJob } from '../../db/jobs/find-job.ts'
import type { Notifications } from '../../db/notifications.ts'
import type { Operation } from '../../db/operation.ts'
import { createEventWait } from '../kernel/reply/events.ts'

/**
 * Waits until a job is over, told so by the database and not by asking it again and again. Answers the job as it
 * stands then, or as it stands after `timeoutMs` or when `signal` is aborted.
 */
export async function waitForEnd(
  op: Operation,
  notifications: Notifications,
  input: { readonly jobId: string; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<CompileJob> {
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(input.timeoutMs)])
  const wait = createEventWait(signal)
  const unsubscribe = subscribeJob(notifications, input.jobId, () => wait.wake())
  try {
    for (;;) {
      const job = await findJob(op, input.jobId)
      if (isFinal(job.status) || (await wait.next()) === 'ended') return job
    }
  } finally {
    unsubscribe()
  }
}

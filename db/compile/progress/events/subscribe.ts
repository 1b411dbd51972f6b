import type { Notifications } from '../../../kernel/notifications.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import { notify } from '../../../kernel/queries/typed.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/**
 * Calls `wake` when a job has new events, and after a lost listening connection is restored, when there may be some.
 * Returns an unsubscribe function. Subscribe first, then read the log: no event is missed in between.
 */
export function subscribeJob(notifications: Notifications, jobId: string, wake: () => void): () => void {
  const wakers = wakersOf(notifications)
  const ofJob = wakers.get(jobId) ?? new Set()
  wakers.set(jobId, ofJob)
  ofJob.add(wake)
  return () => {
    ofJob.delete(wake)
    if (ofJob.size === 0 && wakers.get(jobId) === ofJob) wakers.delete(jobId)
  }
}

/**
 * Calls `wake` when a job has ended, and after a lost listening connection is restored. Returns an unsubscribe function.
 * Subscribe first, then read the job.
 */
export function subscribeJobEnd(notifications: Notifications, jobId: string, wake: () => void): () => void {
  return subscribeJob(notifications, endOf(jobId), wake)
}

/** Notifies of the end of a job with the next statement of the transaction: a caller that waits for it is woken by nothing else. */
export function postJobEnd(tx: Transaction, jobId: string): void {
  tx.post(notifyJob({ payload: endOf(jobId) }))
}

const notifyJob = prepared((q, { payload }: { readonly payload: string }) =>
  q.selectNoFrom(notify('svc_jobs', payload).as('notified')),
)

function endOf(jobId: string): string {
  return `${jobId}/end`
}

type Wakers = Map<string, Set<() => void>>

/** One handler per listening connection, however many streams are open. */
const wakersByConnection = new WeakMap<Notifications, Wakers>()

function wakersOf(notifications: Notifications): Wakers {
  const known = wakersByConnection.get(notifications)
  if (known !== undefined) return known
  const wakers: Wakers = new Map()
  wakersByConnection.set(notifications, wakers)
  notifications.on('svc_jobs', (jobId) => {
    for (const wake of wakers.get(jobId) ?? []) wake()
  })
  notifications.onReconnect(() => {
    for (const ofJob of wakers.values()) for (const wake of ofJob) wake()
  })
  return wakers
}

import { timeoutAfter } from '../../../core/kernel/threads/timers.ts'
import { subscribeJob } from '../../../db/compile/progress/events/subscribe.ts'
import { findIndex, isIndexOver, type IndexProgress } from '../../../db/compile/documents/find-index.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { createEventWait } from '../../kernel/reply/events.ts'
import type { CallFacts } from '../services.ts'

/** Waits until a call that indexes files is over, at most `sync_index_wait_s` seconds. Returns it as it stands then. */
export async function waitForIndex(
  { op, services, endOfCall }: Pick<CallFacts, 'services' | 'endOfCall'> & { readonly op: Operation },
  indexId: string,
): Promise<IndexProgress> {
  const signal = AbortSignal.any([endOfCall(), timeoutAfter(services.limits.sync_index_wait_s)])
  const wait = createEventWait(signal)
  const unsubscribe = subscribeJob(services.notifications, indexId, () => wait.wake())
  try {
    for (;;) {
      if ((await isIndexOver(op, indexId)) || (await wait.next()) === 'ended') return await findIndex(op, indexId)
    }
  } finally {
    unsubscribe()
  }
}

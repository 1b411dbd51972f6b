import { timeoutAfter } from '../../../core/kernel/threads/timers.ts'
import { subscribeJob } from '../../../db/compile/progress/events/subscribe.ts'
import type { Notifications } from '../../../db/kernel/notifications.ts'
import { createEventWait } from '../../kernel/reply/events.ts'

/** A call that waits. */
interface WaitingCall {
  readonly services: { readonly notifications: Notifications }
  readonly endOfCall: () => AbortSignal
}

/** Work that a call waits for. */
export interface AwaitedWork {
  /** Id of the work, by which its notifications come. */
  readonly id: string
  readonly seconds: number
  readonly isOver: () => Promise<boolean>
  /** Subscribes to notifications after which `isOver` may be true; all of the work when absent. */
  readonly subscribe?: typeof subscribeJob
}

/**
 * Waits until `isOver` is true, which is checked after each notification of the work; until the time is over, or the caller
 * disconnects.
 */
export async function waitForEnd(
  { services, endOfCall }: WaitingCall,
  { id, seconds, isOver, subscribe = subscribeJob }: AwaitedWork,
): Promise<void> {
  const signal = AbortSignal.any([endOfCall(), timeoutAfter(seconds)])
  const wait = createEventWait(signal)
  const unsubscribe = subscribe(services.notifications, id, () => wait.wake())
  try {
    while (!(await isOver())) if ((await wait.next()) === 'ended') return
  } finally {
    unsubscribe()
  }
}

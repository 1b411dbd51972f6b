import { nextActions, type NextAction } from '../../core/account/next-actions.ts'
import type { Operation } from '../operation.ts'
import { accountSnapshot } from './snapshot.ts'
import { silencedActions } from './snoozes.ts'

/** What the tenant might do next, most important first, without what it silenced. */
export async function proposedActions(op: Operation): Promise<readonly NextAction[]> {
  const [snapshot, silenced] = await Promise.all([accountSnapshot(op), silencedActions(op)])
  return nextActions(snapshot, silenced)
}

import { nextActions, type NextAction } from '../../../core/overview/next-actions.ts'
import type { Operation } from '../../kernel/operation.ts'
import { accountSnapshot } from './snapshot.ts'
import { silencedAmong } from './snoozes.ts'

/** What the tenant might do next, most important first, without what it silenced. */
export async function proposedActions(op: Operation): Promise<readonly NextAction[]> {
  const actions = nextActions(await accountSnapshot(op))
  const silenced = await silencedAmong(
    op,
    actions.map(({ dismissKey }) => dismissKey),
  )
  return actions.filter(({ dismissKey }) => !silenced.has(dismissKey))
}

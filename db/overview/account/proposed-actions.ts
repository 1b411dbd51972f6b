import { nextActions, type NextAction } from '../../../core/overview/next-actions.ts'
import type { Operation } from '../../kernel/operation.ts'
import { accountSnapshot } from './snapshot.ts'
import { silencedAmong } from './snoozes.ts'

/** Returns suggested next actions for the tenant, most important first, without the snoozed ones. */
export async function proposedActions(op: Operation): Promise<readonly NextAction[]> {
  const actions = nextActions(await accountSnapshot(op))
  const silenced = await silencedAmong(
    op,
    actions.map(({ dismissKey }) => dismissKey),
  )
  return actions.filter(({ dismissKey }) => !silenced.has(dismissKey))
}

import type { Limits } from '../../../core/overview/limits.ts'
import { reconcileMails } from '../../accounts/mail/reconcile.ts'
import { reconcileBilling, reconcileDunnings } from '../../billing/billing/reconcile.ts'
import { reconcileCompiles } from '../../compile/compile/reconcile.ts'
import { reconcileExports } from '../../compile/export/reconcile.ts'
import type { Chore } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'
import { reconcileDeletions } from '../deletion/reconcile.ts'
import { collectSoon } from './collect-soon.ts'

/** What each tick of `reconcile` does, all at once: one chore per family, and the bytes of compiles that ended. */
export const RECONCILE_CHORES: readonly Chore<ReconcileDeps<Limits>>[] = [
  reconcileCompiles,
  reconcileExports,
  reconcileMails,
  reconcileBilling,
  reconcileDunnings,
  reconcileDeletions,
  {
    name: 'bytes',
    stillS: 90,
    summary: 'Give the bytes of compiles that failed or were cancelled back to the disk',
    run: async (deps, { signal }) => ({ collected: await collectSoon(deps, signal) }),
  },
]

import type { Limits } from '../../../core/overview/limits.ts'
import { ACCOUNTS_CHORES } from '../../accounts/index.ts'
import { BILLING_CHORES } from '../../billing/index.ts'
import type { RentalDeps } from '../../compile/rental/deps.ts'
import { COMPILE_CHORES } from '../../compile/index.ts'
import { GATEWAY_CHORES } from '../../gateway/index.ts'
import { LEARN_CHORES } from '../../learn/index.ts'
import { ONE_ATTEMPT, type Chore } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'
import { reconcileDeletions } from '../deletion/reconcile.ts'
import { collectSoon } from './collect-soon.ts'

/** Dependencies of all chores of `reconcile`. */
export interface ReconcileAllDeps extends RentalDeps, ReconcileDeps<Limits> {
  readonly limits: Limits
}

/** The chores of each `reconcile` tick, run at once: one per family, and the bytes of ended compiles. */
export const RECONCILE_CHORES: readonly Chore<ReconcileAllDeps>[] = [
  ...COMPILE_CHORES,
  ...LEARN_CHORES,
  ...ACCOUNTS_CHORES,
  ...BILLING_CHORES,
  ...GATEWAY_CHORES,
  reconcileDeletions,
  {
    name: 'bytes',
    stillS: 90,
    attempts: ONE_ATTEMPT,
    summary: 'Free the disk space of compiles that failed or were cancelled',
    run: async (deps, { signal }) => ({ collected: await collectSoon(deps, signal) }),
  },
]

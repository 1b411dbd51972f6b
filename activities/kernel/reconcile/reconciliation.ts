import type { TypedFamily } from '../../../core/kernel/workflows/define-workflow.ts'
import { ONE_ATTEMPT, type Chore } from '../chores/chore.ts'
import type { ReconcileDeps } from './deps.ts'
import { reconcileFamily } from './reconcile-family.ts'

/** Selects rows to reconcile. */
export interface OpenPage {
  readonly now: Date
  /** Younger rows may still be on their way to Temporal. */
  readonly openSince: Date
  /** Workflow id of the last row of the previous page; empty for the first page. */
  readonly afterKey: string
  readonly limit: number
}

/** The outcome of a run whose row is still open. */
export type LostEnd = 'cancelled' | 'ended'

/** Reconciles the rows of a family with its workflows. */
export interface Reconciliation<Input extends object, Deps extends ReconcileDeps = ReconcileDeps> {
  readonly family: TypedFamily<Input>
  /** Admits rows that wait for their turn. Returns how many. */
  readonly admit?: (deps: Deps) => Promise<number>
  /**
   * Reads rows that should have a run, as inputs of their workflows. In a family that is signalled: rows with work due,
   * claimed so that the next call finds others.
   */
  readonly open: (deps: Deps, page: OpenPage) => Promise<readonly Input[]>
  /**
   * Ends the row of a finished run. Returns false when the row was over already. Absent in a family that is signalled:
   * its workflow starts again and does the work in the rows. A row unknown to Temporal starts again in either case.
   */
  readonly settle?: (deps: Deps, input: Input, end: LostEnd) => Promise<boolean>
}

/** A call to Temporal takes 30 seconds at most; the next tick is due after another 30. */
const STILL_S = 35

/** Returns the chore that reconciles a family. */
export function reconciles<Input extends object, Deps extends ReconcileDeps = ReconcileDeps>(
  reconciliation: Reconciliation<Input, Deps>,
): Chore<Deps> {
  const { name } = reconciliation.family
  return {
    name,
    stillS: STILL_S,
    attempts: ONE_ATTEMPT,
    summary: `Start due workflows of \`${name}\` and handle rows whose run is gone`,
    run: async (deps, activity) => ({ ...(await reconcileFamily(deps, reconciliation, activity)) }),
  }
}

import type { TypedFamily } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Chore } from '../chores/chore.ts'
import type { ReconcileDeps } from './deps.ts'
import { reconcileFamily } from './reconcile-family.ts'

/** Which rows are asked for. */
export interface OpenPage {
  readonly now: Date
  /** Rows that are younger may still be on their way to Temporal. */
  readonly openSince: Date
  /** Workflow id of the last row of the page before; empty for the first page. */
  readonly afterKey: string
  readonly limit: number
}

/** How a run ended of a row that is still open. */
export type LostEnd = 'cancelled' | 'ended'

/** How the rows of a family and its workflows are brought together. */
export interface Reconciliation<Input extends object, Deps extends ReconcileDeps = ReconcileDeps> {
  readonly family: TypedFamily<Input>
  /** Lets in rows that wait for their turn; answers how many. */
  readonly admit?: (deps: Deps) => Promise<number>
  /**
   * Reads rows that should have a run, as inputs of their workflows. Of a family that is woken: rows with work due, claimed,
   * so that the next call finds others.
   */
  readonly open: (deps: Deps, page: OpenPage) => Promise<readonly Input[]>
  /**
   * Ends the row of a run that is over; answers false when the row was over too. Absent in a family that is woken: its
   * workflow starts again and does what the rows say. A row that Temporal does not know starts again in either case.
   */
  readonly settle?: (deps: Deps, input: Input, end: LostEnd) => Promise<boolean>
}

/** A call to Temporal takes 30 seconds at most; the next tick is due after as many. */
const STILL_S = 35

/** The chore that reconciles a family. */
export function reconciles<Input extends object, Deps extends ReconcileDeps = ReconcileDeps>(
  reconciliation: Reconciliation<Input, Deps>,
): Chore<Deps> {
  const { name } = reconciliation.family
  return {
    name,
    stillS: STILL_S,
    summary: `Start what is due of \`${name}\`, and deal with rows whose run is gone`,
    run: async (deps, activity) => ({ ...(await reconcileFamily(deps, reconciliation, activity)) }),
  }
}

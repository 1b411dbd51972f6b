import type { TypedFamily } from '../../../core/kernel/workflows/define-workflow.ts'
import type { ReconcileDeps } from './deps.ts'

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

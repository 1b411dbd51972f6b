import type { BillingService } from '../../../billing/workflows/billing-service.ts'

/** The end of a run: ended in Temporal's pages, or lost with Temporal's data. */
export const ENDINGS = ['cancelled', 'terminated', 'lost'] as const
/** One of them. */
export type Ending = (typeof ENDINGS)[number]

/** A run that was started for rows, and what tells that its work is done. */
export interface GivenRun {
  readonly workflowId: string
  /** The state of the rows, in one word. */
  readonly state: () => Promise<string>
}

/** A family of workflows that work on rows. */
export interface Family {
  /** Writes rows with work that is due by `LATER_MS`, and has their workflow started. */
  readonly given: (billing: BillingService) => Promise<GivenRun>
  /** The state in which the reconciler leaves the rows. */
  readonly ends: Readonly<Record<Ending, string>>
}

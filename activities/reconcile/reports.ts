/** What one reconciliation did, in numbers of jobs. */
export interface ReconcileReport {
  /** Waiting jobs that were let in. */
  readonly admitted: number
  /** Admitted jobs whose workflow was started now. */
  readonly started: number
  /** Jobs whose workflow had vanished and was started again. */
  readonly restarted: number
  /** Jobs whose workflow had ended without ending them. */
  readonly finished: number
  /** Jobs that could not be dealt with; the next tick tries again. */
  readonly failed: number
}

/** How many rows of each kind had expired and were removed. */
export type HousekeepingReport = Readonly<Record<string, number>>

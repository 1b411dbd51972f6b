/** What one reconciliation did, in numbers of jobs; exports count as jobs. */
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

/** Two reports as one; exports wait for no admission, so theirs lacks that number. */
export function addReports(jobs: ReconcileReport, exports: Omit<ReconcileReport, 'admitted'>): ReconcileReport {
  return {
    admitted: jobs.admitted,
    started: jobs.started + exports.started,
    restarted: jobs.restarted + exports.restarted,
    finished: jobs.finished + exports.finished,
    failed: jobs.failed + exports.failed,
  }
}

/** How many rows of each kind had expired and were removed. */
export type HousekeepingReport = Readonly<Record<string, number>>

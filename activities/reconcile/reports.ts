/** What one reconciliation did, in numbers of jobs; exports and pokes count as jobs. */
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

/** Several reports as one; only jobs wait for an admission, so those of others lack that number. */
export function addReports(
  jobs: ReconcileReport,
  ...others: readonly Omit<ReconcileReport, 'admitted'>[]
): ReconcileReport {
  const reports = [jobs, ...others]
  const sum = (name: Exclude<keyof ReconcileReport, 'admitted'>) =>
    reports.reduce((total, report) => total + report[name], 0)
  return {
    admitted: jobs.admitted,
    started: sum('started'),
    restarted: sum('restarted'),
    finished: sum('finished'),
    failed: sum('failed'),
  }
}

/** How many rows of each kind had expired and were removed. */
export type HousekeepingReport = Readonly<Record<string, number>>

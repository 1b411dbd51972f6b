/** What one reconciliation did, in numbers of jobs; exports and pokes count as jobs. */
export interface ReconcileReport {
  /** Waiting jobs that were let in. */
  readonly admitted: number
  /** Admitted jobs whose workflow was started now. */
  readonly started: number
  /** Jobs whose workflow had vanished and was started again; other families whose rows had work due. */
  readonly restarted: number
  /** Jobs whose workflow had ended without ending them. */
  readonly finished: number
  /** Jobs that could not be dealt with; the next tick tries again. */
  readonly failed: number
}

/** Several reports as one; only jobs wait for an admission, so those of others lack that number. */
export function addReports(
  reports: readonly (Omit<ReconcileReport, 'admitted'> & { readonly admitted?: number })[],
): ReconcileReport {
  const sum = (name: keyof ReconcileReport) => reports.reduce((total, report) => total + (report[name] ?? 0), 0)
  return {
    admitted: sum('admitted'),
    started: sum('started'),
    restarted: sum('restarted'),
    finished: sum('finished'),
    failed: sum('failed'),
  }
}

/** How many rows of each kind had expired and were removed. */
export type HousekeepingReport = Readonly<Record<string, number>>

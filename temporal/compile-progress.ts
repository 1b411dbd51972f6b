import type { RentalSeen } from '../workflows/compile/rental/messages.ts'
import type { CompileProgress, FitSignal } from '../workflows/compile/compile/progress.ts'
import { QUERIES, SIGNALS } from '../workflows/kernel/names.ts'
import type { TemporalClient } from './client.ts'
import { whenFound } from './runs.ts'

/**
 * Queries the workflow of a job for its progress; null when Temporal knows none. Needs a running worker: throws
 * `workflow_engine_unavailable` when none answers within the deadline.
 */
export async function compileProgress(temporal: TemporalClient, jobId: string): Promise<CompileProgress | null> {
  return await whenFound(null, () =>
    temporal.client.workflow.getHandle(jobId).query<CompileProgress>(QUERIES.compileProgress),
  )
}

/** Signals the progress of a fit to the workflow of its job, for display. Throws `workflow_engine_unavailable`. */
export async function signalFitProgress(temporal: TemporalClient, jobId: string, progress: FitSignal): Promise<void> {
  await whenFound(undefined, () => temporal.client.workflow.getHandle(jobId).signal(SIGNALS.fitProgress, progress))
}

/** Signals the state of a rented machine to the workflow of its rental, for display. Throws `workflow_engine_unavailable`. */
export async function signalRentalSeen(temporal: TemporalClient, jobId: string, seen: RentalSeen): Promise<void> {
  await whenFound(undefined, () =>
    temporal.client.workflow.getHandle(`${jobId}/rental`).signal(SIGNALS.rentalSeen, seen),
  )
}

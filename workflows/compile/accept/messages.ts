import { defineSignal } from '@temporalio/workflow'
import type { JobStatus } from '../../../core/compile/rows/task.ts'
import { SIGNALS } from '../../kernel/names.ts'

/** Input of the activities: ids only; they read the rest from Postgres. */
export interface AcceptInput {
  readonly jobId: string
  readonly tenantId: string
}

/** The state of the job afterwards: `ready` once its archive is signed. */
export interface AcceptOutcome {
  readonly status: JobStatus
}

/** Sent with every start; the acceptance is a row, so the signal carries no data. */
export const changedSignal = defineSignal(SIGNALS.changed)

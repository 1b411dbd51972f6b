import { defineSignal } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** Input of the activities of cloud jobs: ids only; they read the rest from Postgres. */
export interface CloudJobInput {
  readonly cloudJobId: string
  readonly tenantId: string
}

/** The job has begun, or was cancelled before it could. */
export interface CloudJobOutcome {
  readonly state: 'started' | 'over'
}

/** Sent when a pool was registered, or the job was cancelled: the job looks again. */
export const changedSignal = defineSignal(SIGNALS.changed)

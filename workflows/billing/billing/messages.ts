import { defineSignal } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** What starts a workflow of billing, dunning or deletion: ids only; the activities read the rows. */
export interface BillingInput {
  readonly workflowId: string
  readonly tenantId: string
}

/** The rows have changed: look again. */
export const changedSignal = defineSignal(SIGNALS.changed)

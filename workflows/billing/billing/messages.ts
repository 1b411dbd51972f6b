import { defineSignal, workflowInfo } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** What activities of billing, dunning and deletion are called with: ids only; they read the rows. */
export interface BillingRef {
  readonly workflowId: string
  readonly tenantId: string
}

/** The ids of a run. Its input may be one of an earlier version: all of them name the tenant. */
export function refOf({ tenantId }: { readonly tenantId: string }): BillingRef {
  return { workflowId: workflowInfo().workflowId, tenantId }
}

/** The rows have changed: look again. */
export const changedSignal = defineSignal(SIGNALS.changed)

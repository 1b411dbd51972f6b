import { defineSignal, workflowInfo } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** Input of the billing, dunning and deletion activities: ids only; they read the rows. */
export interface BillingRef {
  readonly workflowId: string
  readonly tenantId: string
}

/** Returns the ids of a run. Its input may come from an earlier version: every version names the tenant. */
export function refOf({ tenantId }: { readonly tenantId: string }): BillingRef {
  return { workflowId: workflowInfo().workflowId, tenantId }
}

/** The rows have changed: the workflow reads them again. */
export const changedSignal = defineSignal(SIGNALS.changed)

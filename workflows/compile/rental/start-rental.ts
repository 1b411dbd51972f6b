import {
  ApplicationFailure,
  ChildWorkflowCancellationType,
  executeChild,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow'
import type { FitRef, FitSummary } from '../../../activities/compile/compile/results.ts'
import { KIND_KEY, TENANT_KEY } from '../../kernel/names.ts'
import { rental } from './rental.ts'

/**
 * Fits an adapter on a rented machine or, with `isPool`, on one of the tenant's pool, in a child workflow. The machine is gone
 * when this returns or throws.
 */
export async function fitElsewhere(
  { jobId, tenantId, inputSha256 }: FitRef,
  { isPool }: { readonly isPool: boolean },
): Promise<FitSummary> {
  if (tenantId === undefined) throw ApplicationFailure.nonRetryable('a rental needs its tenant', 'internal')
  return await executeChild(rental, {
    workflowId: `${jobId}/rental`,
    taskQueue: workflowInfo().taskQueue,
    args: [{ jobId, tenantId, inputSha256, ...(isPool && { isPool }) }],
    // A child whose parent is gone still ends its machine.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    staticSummary: isPool ? `Fit of ${jobId} in the pool` : `Rented machine of ${jobId}`,
    typedSearchAttributes: [
      { key: TENANT_KEY, value: tenantId },
      { key: KIND_KEY, value: 'rental' },
    ],
  })
}

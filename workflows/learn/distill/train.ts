import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  executeChild,
  ParentClosePolicy,
  proxyActivities,
} from '@temporalio/workflow'
import type { DistillActivities } from '../../../activities/learn/distill/activities.ts'
import type { RunRef } from '../../../activities/learn/distill/deps.ts'
import type { SubmittedCompile } from '../../../activities/learn/distill/submit-compile.ts'
import type { WatchedCompile } from '../../../activities/learn/distill/watch-compile.ts'
import { QUEUES } from '../../../core/kernel/workflows/queues.ts'
import { compile } from '../../compile/compile/compile.ts'
import { KIND_KEY, STAGE_KEY, TENANT_KEY } from '../../kernel/names.ts'
import { WATCH } from '../../kernel/policies.ts'

const watch = proxyActivities<DistillActivities>(WATCH)

/**
 * Runs the compile of a run as a child and copies its measured steps to the run meanwhile. A compile that had to wait for its tenant's
 * turn, or that was started already, runs beside this workflow: then it is watched only. Its row says how it ended.
 */
export async function trainAsChild(ref: RunRef, { jobId, isAdmitted }: SubmittedCompile): Promise<WatchedCompile> {
  const watched = watch.watchCompile.executeWithOptions({ ...WATCH, summary: 'Copy the figures of the compile' }, [ref])
  const [seen] = await Promise.all([watched, isAdmitted ? runChild(ref.tenantId, jobId) : undefined])
  return seen
}

async function runChild(tenantId: string, jobId: string): Promise<void> {
  try {
    await executeChild(compile, {
      workflowId: jobId,
      taskQueue: QUEUES.compile,
      args: [{ jobId, tenantId }],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: 'The compile that trains, gates and signs',
      typedSearchAttributes: [
        { key: TENANT_KEY, value: tenantId },
        { key: KIND_KEY, value: 'compile' },
        { key: STAGE_KEY, value: 'queued' },
      ],
    })
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return
    if (error instanceof ChildWorkflowFailure) return
    throw error
  }
}

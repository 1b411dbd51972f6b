import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { RequestedFamily, WorkflowStart } from '../core/kernel/workflows/define-workflow.ts'
import { KIND_KEY, SIGNALS, STAGE_KEY, TENANT_KEY } from '../workflows/kernel/names.ts'
import { callTemporal, type TemporalClient } from './client.ts'

/**
 * Starts a workflow, or signals the running one, as its family says. The only place that starts workflows. Returns
 * false for a family of kind `once` whose run of this id is over: it does not run twice. Throws
 * `workflow_engine_unavailable`.
 */
export async function startWorkflow(
  temporal: TemporalClient,
  family: RequestedFamily,
  start: WorkflowStart,
): Promise<boolean> {
  const { workflow } = temporal.client
  const { workflowId, tenantId, input, summary, details } = start
  const options = {
    workflowId,
    taskQueue: family.queue,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: summary,
    ...(details !== undefined && { staticDetails: details }),
  } as const
  const attributes = [
    { key: KIND_KEY, value: family.name },
    ...(tenantId === null ? [] : [{ key: TENANT_KEY, value: tenantId }]),
  ]
  if (family.start === 'wake') {
    await callTemporal(() =>
      workflow.signalWithStart(family.name, {
        ...options,
        signal: SIGNALS.changed,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        typedSearchAttributes: attributes,
      }),
    )
    return true
  }
  try {
    await callTemporal(() =>
      workflow.start(family.name, {
        ...options,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        typedSearchAttributes: [...attributes, { key: STAGE_KEY, value: 'queued' }],
      }),
    )
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    throw error
  }
}

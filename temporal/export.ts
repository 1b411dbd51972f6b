import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { ExportInput } from '../workflows/compile/export/messages.ts'
import { KIND_KEY, QUEUES, STAGE_KEY, TENANT_KEY, WORKFLOWS } from '../workflows/kernel/names.ts'
import { callTemporal, type TemporalClient } from './client.ts'
import { whenFound } from './runs.ts'

/** What an export is started with. Nothing of it is private: it stands in Temporal's pages as it is. */
export interface ExportStart extends ExportInput {
  readonly target: string
  readonly quant: string | null
}

/**
 * Starts the workflow of an export. The workflow's id is the export's id, so a second start changes nothing: false when
 * it runs already or ran before. Throws `workflow_engine_unavailable`; the reconciler then starts it later.
 */
export async function startExport(temporal: TemporalClient, start: ExportStart): Promise<boolean> {
  const { exportId, tenantId, target, quant } = start
  const input: ExportInput = { exportId, tenantId }
  try {
    await callTemporal(() =>
      temporal.client.workflow.start(WORKFLOWS.export, {
        workflowId: exportId,
        taskQueue: QUEUES.compile,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        typedSearchAttributes: [
          { key: TENANT_KEY, value: tenantId },
          { key: KIND_KEY, value: WORKFLOWS.export },
          { key: STAGE_KEY, value: 'queued' },
        ],
        staticSummary: `Export to ${target}${quant === null ? '' : ` ${quant}`}`,
      }),
    )
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    throw error
  }
}

/**
 * Asks the workflow of an export to stop. A run that is over stays as it is. False when Temporal knows no workflow of the
 * export. Throws `workflow_engine_unavailable`.
 */
export async function cancelExport(temporal: TemporalClient, exportId: string): Promise<boolean> {
  return await whenFound(false, async () => {
    await temporal.client.workflow.getHandle(exportId).cancel()
    return true
  })
}

import { KIND_KEY, QUEUES, SIGNALS, TENANT_KEY } from '../workflows/kernel/names.ts'
import { callTemporal, type TemporalClient } from './client.ts'

/** A workflow that is to look at its rows. The family is the name of its type. */
export interface WorkflowPoke {
  readonly family: string
  readonly workflowId: string
  readonly tenantId: string | null
}

/** What a poked workflow is started with: ids only; its activities read the rest from Postgres. */
export interface PokedInput {
  readonly workflowId: string
  readonly tenantId: string | null
}

/**
 * Starts a workflow, or tells the one that runs to look again. A poke that comes twice, or after the end of what it was
 * meant for, does no harm: the workflow reads its rows and finds nothing to do. Throws `workflow_engine_unavailable`;
 * the outbox row is then tried again.
 */
export async function pokeWorkflow(temporal: TemporalClient, poke: WorkflowPoke): Promise<void> {
  const { family, workflowId, tenantId } = poke
  const input: PokedInput = { workflowId, tenantId }
  await callTemporal(() =>
    temporal.client.workflow.signalWithStart(family, {
      workflowId,
      taskQueue: QUEUES.io,
      args: [input],
      signal: SIGNALS.changed,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      typedSearchAttributes: [
        { key: KIND_KEY, value: family },
        ...(tenantId === null ? [] : [{ key: TENANT_KEY, value: tenantId }]),
      ],
    }),
  )
}

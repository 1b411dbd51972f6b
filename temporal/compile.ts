import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { CompileInput } from '../workflows/compile/compile/messages.ts'
import type { CompileProgress, FitSignal } from '../workflows/compile/compile/progress.ts'
import { KIND_KEY, QUERIES, QUEUES, SIGNALS, STAGE_KEY, TENANT_KEY, WORKFLOWS } from '../workflows/kernel/names.ts'
import { callTemporal, type TemporalClient } from './client.ts'
import { findRun, listRunning, whenFound, type RunState } from './runs.ts'

/** What a compile is started with. Nothing of it is private: it stands in Temporal's pages as it is. */
export interface CompileStart {
  readonly jobId: string
  readonly tenantId: string
  readonly plan: string
  /** Number of examples. */
  readonly rows: number
  readonly kScoreFloor: number
  readonly baseModel?: string | null
}

/** How the workflow of a compile stands. */
export type CompileRunState = RunState

/**
 * Starts the workflow of a job. The workflow's id is the job's id, so a second start changes nothing: false when it
 * runs already or ran before. Throws `workflow_engine_unavailable`; the job's outbox row then starts it later.
 */
export async function startCompile(temporal: TemporalClient, start: CompileStart): Promise<boolean> {
  const input: CompileInput = { jobId: start.jobId, tenantId: start.tenantId }
  try {
    await callTemporal(() =>
      temporal.client.workflow.start(WORKFLOWS.compile, {
        workflowId: start.jobId,
        taskQueue: QUEUES.compile,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        typedSearchAttributes: [
          { key: TENANT_KEY, value: start.tenantId },
          { key: KIND_KEY, value: WORKFLOWS.compile },
          { key: STAGE_KEY, value: 'queued' },
        ],
        staticSummary: `Compile of ${start.rows} examples, K floor ${start.kScoreFloor}, plan ${start.plan}`,
        staticDetails: describeStart(start),
      }),
    )
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    throw error
  }
}

/**
 * Asks the workflow of a job to stop: the stage that runs is stopped and the job ends as cancelled. A run that is over
 * stays as it is. False when Temporal knows no workflow of the job. Throws `workflow_engine_unavailable`.
 */
export async function cancelCompile(temporal: TemporalClient, jobId: string): Promise<boolean> {
  return await whenFound(false, async () => {
    await temporal.client.workflow.getHandle(jobId).cancel()
    return true
  })
}

/**
 * What the workflow itself says about where it stands, null when Temporal knows none. Needs a running worker: throws
 * `workflow_engine_unavailable` when none answers within the deadline.
 */
export async function compileProgress(temporal: TemporalClient, jobId: string): Promise<CompileProgress | null> {
  return await whenFound(null, () =>
    temporal.client.workflow.getHandle(jobId).query<CompileProgress>(QUERIES.compileProgress),
  )
}

/** How Temporal itself sees the workflow of a job. Throws `workflow_engine_unavailable`. */
export async function findCompileRun(temporal: TemporalClient, jobId: string): Promise<CompileRunState> {
  return await findRun(temporal, jobId)
}

/** Ids of the jobs whose workflow runs, as `listRunning` has it. Throws `workflow_engine_unavailable`. */
export async function listRunningCompiles(temporal: TemporalClient): Promise<ReadonlySet<string>> {
  return await listRunning(temporal, WORKFLOWS.compile)
}

function describeStart(start: CompileStart): string {
  return [
    `- job \`${start.jobId}\` of tenant \`${start.tenantId}\` (plan ${start.plan})`,
    `- ${start.rows} examples, K-score floor ${start.kScoreFloor}, base model ${start.baseModel ?? 'none'}`,
    '- stages: k-sample, verify, lora-fit, bundle, sign',
    '- the examples and the task stay in Postgres; what came out of each stage stands there as well',
  ].join('\n')
}

/** Tells the workflow of a job how far its fit is, for people who look at it. Throws `workflow_engine_unavailable`. */
export async function signalFitProgress(temporal: TemporalClient, jobId: string, progress: FitSignal): Promise<void> {
  await whenFound(undefined, () => temporal.client.workflow.getHandle(jobId).signal(SIGNALS.fitProgress, progress))
}

import type { Database } from '../../../../db/kernel/database.ts'
import { findRun } from '../../../../temporal/runs.ts'
import type { TemporalClient } from '../../../../temporal/client.ts'
import { givenTenant, type GivenTenant } from '../../db/given.ts'
import type { Payments } from '../../stripe/paying.ts'

/** The end of a run: ended in Temporal's pages, or lost with Temporal's data. */
export const ENDINGS = ['cancelled', 'terminated', 'lost'] as const
/** One of them. */
export type Ending = (typeof ENDINGS)[number]

/** A run that was started for rows, and what tells that its work is done. */
export interface GivenRun {
  readonly workflowId: string
  /** The state of the rows, in one word. */
  readonly state: () => Promise<string>
}

/** Rows, workflows and payments of a service. */
export interface FamilyStage extends Payments {
  readonly db: Database
  /** Starts the workflow that the outbox requests. */
  readonly start: (workflowId: string) => Promise<boolean>
  /** The time at which rows are written. */
  readonly now: () => Date
  /** Milliseconds after which the workers look at the rows: their work must be due by then. */
  readonly laterMs: number
}

/** A family of workflows that work on rows. */
export interface Family {
  /** Writes rows with work that is due `laterMs` after `now()`, and has their workflow started. */
  readonly given: (stage: FamilyStage) => Promise<GivenRun>
  /** The state in which the reconciler leaves the rows. */
  readonly ends: Readonly<Record<Ending, string>>
}

/** Signs a tenant up that works at the time of the stage. */
export async function tenantOf({ db, now }: FamilyStage): Promise<GivenTenant> {
  return await givenTenant(db, now)
}

/** Cancels or terminates a run, or deletes it. */
export async function endRun({ client, namespace }: TemporalClient, how: Ending, workflowId: string): Promise<void> {
  const handle = client.workflow.getHandle(workflowId)
  if (how === 'cancelled') await handle.cancel()
  else if (how === 'terminated') await handle.terminate('a test')
  else {
    await client.connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } })
  }
}

/** Throws unless Temporal has a run of this id that is not over. */
export async function expectRunning(temporal: TemporalClient, workflowId: string): Promise<void> {
  const state = await findRun(temporal, workflowId)
  if (state !== 'running') throw new Error(`the run ${workflowId} is ${state}`)
}

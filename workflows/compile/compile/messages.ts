import { defineQuery, defineSignal } from '@temporalio/workflow'
import { QUERIES, SIGNALS } from '../../kernel/names.ts'
import type { CompileProgress, FitSignal } from './progress.ts'

/** Input of the compile activities: ids only; they read the rest from Postgres. */
export interface CompileInput {
  readonly jobId: string
  readonly tenantId: string
}

/**
 * The outcome of a compile. `cancelled` when the job was cancelled before its workflow noticed; a workflow that was
 * cancelled itself, or that failed, ends with that instead of an outcome.
 */
export interface CompileOutcome {
  readonly status: 'ready' | 'gated' | 'cancelled'
  readonly kScore: number | null
}

/** The progress of a compile. */
export const compileProgressQuery = defineQuery<CompileProgress>(QUERIES.compileProgress)

/** An answer to a question has been stored: the workflow continues. */
export const changedSignal = defineSignal(SIGNALS.changed)

/** Sent occasionally while an adapter is fitted; only shown to people. */
export const fitProgressSignal = defineSignal<[FitSignal]>(SIGNALS.fitProgress)

import { defineQuery, defineSignal } from '@temporalio/workflow'
import { QUERIES, SIGNALS } from '../../kernel/names.ts'
import type { CompileProgress, FitSignal } from './progress.ts'

/** What activities of a compile are called with: ids only; they read the rest from Postgres. */
export interface CompileInput {
  readonly jobId: string
  readonly tenantId: string
}

/**
 * How a compile ended. `cancelled` when the job was cancelled before its workflow heard of it; a workflow that was
 * cancelled itself, or that failed, ends with that instead of an outcome.
 */
export interface CompileOutcome {
  readonly status: 'ready' | 'gated' | 'cancelled'
  readonly kScore: number | null
}

/** Where a compile stands. */
export const compileProgressQuery = defineQuery<CompileProgress>(QUERIES.compileProgress)

/** Sent now and then while an adapter is fitted; shown to people and nothing else. */
export const fitProgressSignal = defineSignal<[FitSignal]>(SIGNALS.fitProgress)

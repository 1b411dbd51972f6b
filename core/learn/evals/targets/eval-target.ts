import type { BoughtAnswer, RowOutcome } from '../evaluation.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import type { RowResponses } from '../scoring/responses.ts'
import type { TaskConfig } from '../task/task-config.ts'

/** The answers to one row. */
export interface RowAnswer {
  readonly responses: RowResponses
  /** Tokens that were cut from the left of its prompts, since they did not fit into the context. */
  readonly cutTokens: number
  /** Why there is no answer; absent where there is one. */
  readonly silence?: RowOutcome['silence']
  /** Confidence of an artifact, 0 to 1. */
  readonly confidence?: number | null
}

/** A row to be answered, with what a provider's model has answered already. */
export interface AskedRow extends PreparedRow {
  readonly bought: readonly BoughtAnswer[]
}

/** The target of an evaluation. */
export interface EvalTarget {
  /** Answers the requests of a row. Throws the signal's reason, and errors of the model. */
  answer(task: TaskConfig, row: AskedRow, signal: AbortSignal): Promise<RowAnswer>
}

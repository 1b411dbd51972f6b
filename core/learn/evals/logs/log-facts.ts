import type { EvalDefinition, RowOutcome } from '../evaluation.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import type { EvalSummary } from '../scoring/summarize.ts'

/** A finished evaluation, as its logs tell it. */
export interface LoggedEvaluation {
  readonly id: string
  readonly name: string
  readonly definition: EvalDefinition
  readonly summary: EvalSummary
  readonly rowCount: number
  readonly createdAt: Date
  readonly finishedAt: Date
}

/** A scored row. */
export interface LoggedRow {
  /** Position in the evaluation, from 0. */
  readonly place: number
  readonly sample: PreparedRow
  readonly outcome: RowOutcome
}

/** Rows in their order: those of one task, or all. */
export type ReadRows = (task: string | null) => AsyncIterable<LoggedRow>

/** A file of a log; its pieces are made while it is read. */
export interface LogFile {
  readonly name: string
  readonly pieces: () => AsyncIterable<string>
}

import type { Json } from '../../../kernel/json/json.ts'
import type { RowView } from '../../wire/jobs/explain/rows.ts'

/** Input, expected output and answer of a row. `got` is absent for a row without an answer. */
export interface RowContent {
  readonly input: Json
  readonly expected: Json
  readonly got?: Json
}

/** A scored row: what became of it, and its content where that is kept. */
export interface JudgedRow {
  readonly id: string
  readonly right: boolean
  readonly result: NonNullable<RowView['result']>
  readonly failedChecks: readonly FailedCheck[]
  /** True when the input is unlike those of the other rows; null where that was not judged. */
  readonly unlike: boolean | null
  readonly category: string
  /** Null where only digests are kept. */
  readonly content: RowContent | null
}

/** A check of the verifier that an answer failed. */
export type FailedCheck = RowView['failed_checks'][number]

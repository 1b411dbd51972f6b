import type { TrainingMembers } from '../../archive/seal.ts'
import type { LoraBase } from './lora-recipe.ts'

/** Result of `lora-fit` in the evaluation. */
export interface AdapterReport {
  readonly status: 'skipped' | 'failed' | 'fitted'
  /** Code of the reason for having no adapter, or for the failed fit. */
  readonly code: string | null
  readonly reason: string | null
  readonly base: LoraBase | null
  readonly trainer: string | null
  readonly steps: number
  readonly best_step: number
  readonly stopped_early: boolean
  readonly loss: number | null
  readonly validation_loss: number | null
  readonly tokens_per_second: number
  readonly training_rows: number
  readonly validation_rows: number
  readonly teacher_rows: number
  /** Rows whose input was cut from the left, because it did not fit; the first of them by id. */
  readonly truncated_rows: number
  readonly truncated: readonly { readonly id: string; readonly dropped_tokens: number }[]
}

/** An adapter's evidence: its report, and the members that its archive holds. */
export interface AdapterEvidence {
  readonly report: AdapterReport
  readonly members: TrainingMembers | null
}

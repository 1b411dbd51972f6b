import type { QuestionReason } from '../../../synthesis/questions/next-question.ts'
import type { OddReason } from '../../../wire/jobs/explain/help.ts'

/** Rows of a gated compile that are worth a look, by id. */
export interface RowAdvice {
  /** Unlabelled inputs to label, the most useful first, with the reason of the compiler's question. */
  readonly to_label: readonly { readonly id: string; readonly reason: QuestionReason }[]
  readonly odd: readonly { readonly id: string; readonly reasons: readonly OddReason[] }[]
}

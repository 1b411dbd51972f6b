import type { LabelledText } from '../../datasets/quality/label-model.ts'
import type { SuspectSides } from '../../datasets/quality/label-noise.ts'

/** Rows to learn from and held-out rows, with their labels. */
export interface CurateInput {
  readonly rows: readonly LabelledText[]
  readonly held: readonly LabelledText[]
  readonly labels: readonly string[]
}

/** The result of curation; null where too few rows have the same label. */
export type Curated = SuspectSides | null

/** The tasks of the thread. */
export interface CurateTasks {
  readonly curate: { readonly input: CurateInput; readonly output: Curated }
}

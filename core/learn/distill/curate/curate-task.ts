import type { LabelledText } from '../../datasets/quality/label-noise.ts'
import type { SuspectLabel } from '../../datasets/quality/quality-report.ts'

/** Rows to learn from, with their labels. */
export interface CurateInput {
  readonly rows: readonly LabelledText[]
  readonly labels: readonly string[]
}

/** What curation found; null for rows whose labels cannot be compared. */
export type Curated = readonly SuspectLabel[] | null

/** The tasks of the thread. */
export interface CurateTasks {
  readonly curate: { readonly input: CurateInput; readonly output: Curated }
}

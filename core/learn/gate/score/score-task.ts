import type { Equality } from '../../../compile/rows/equality/equality.ts'
import type { HoldoutRow } from '../../holdout/parse-rows.ts'

/** Rows to score. */
export interface ScoreInput {
  /** Names an archive that was opened. */
  readonly side: string
  readonly rows: readonly HoldoutRow[]
}

/** The tasks of the thread that scores rows with recipes that need no base. */
export interface ScoreTasks {
  /** Opens an archive under a name. */
  readonly open: { readonly input: { readonly side: string; readonly archive: Uint8Array }; readonly output: null }
  /** Fixes how answers are compared. */
  readonly compare: { readonly input: { readonly equality: Equality }; readonly output: null }
  /** Returns 1 for each row that the recipe has right. */
  readonly score: { readonly input: ScoreInput; readonly output: Uint8Array }
}

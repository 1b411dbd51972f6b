import type { SignificanceInput, SignificanceReport } from '../gate/posted/significance.ts'
import type { GivenCorpus, PreparedCorpus } from '../holdout/prepare-corpus.ts'

/** Rows on their way to the thread: the JSON of their list. */
export type SentCorpus = Omit<GivenCorpus, 'rows'> & { readonly json: Uint8Array }

/** The tasks of the thread. */
export interface LearnTasks {
  readonly corpus: { readonly input: SentCorpus; readonly output: PreparedCorpus }
  readonly significance: { readonly input: SignificanceInput; readonly output: SignificanceReport }
}

/**
 * A metric of generated texts whose figure is no mean of rows: it is computed from the sums of what each row counts. All of them are
 * scaled from 0 to 100 (`ter` may exceed it), and equal to those of sacrebleu 2.6 with its defaults (Post, WMT 2018).
 */
export interface CorpusMetric {
  /** Returns the counts of an answer against its references, of which there is at least one. */
  readonly count: (answer: string, references: readonly string[]) => readonly number[]
  /** Returns the figure of the sums of such counts. */
  readonly score: (sums: ArrayLike<number>) => number
  /** Returns the figure of the counts of one row alone, as sacrebleu's `sentence_…` gives it. */
  readonly scoreAlone: (counts: ArrayLike<number>) => number
}

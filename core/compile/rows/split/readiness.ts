import type { LeakageReport, SeedProvenance } from './split-report.ts'

/** The counts of a split that its readiness for production follows from. */
export type SplitCounts = Pick<SeedProvenance, 'train_count' | 'holdout_count' | 'min_train' | 'min_holdout'> & {
  readonly fold_sizes?: readonly number[] | null | undefined
  readonly leakage_report: Pick<LeakageReport, 'near_duplicate_overlap'>
}

/** A reason why a split is not ready for production. */
export type SplitShortfall =
  | { readonly code: 'few_rows_to_learn_from' | 'few_held_out_rows'; readonly rows: number; readonly needed: number }
  | { readonly code: 'near_duplicates_scored'; readonly rows: number }

/** Returns why a split is not ready for production; an empty list for one that is ready. */
export function splitShortfalls(seeds: SplitCounts): SplitShortfall[] {
  const { train_count: train, holdout_count: holdout, min_train: minTrain, min_holdout: minHoldout } = seeds
  const { near_duplicate_overlap: overlap } = seeds.leakage_report
  // The fit with the fewest rows: with folds, the one that lacks the largest.
  const fitted = train - Math.max(0, ...(seeds.fold_sizes ?? []))
  const shortfalls: SplitShortfall[] = []
  if (fitted < minTrain) shortfalls.push({ code: 'few_rows_to_learn_from', rows: fitted, needed: minTrain })
  if (holdout < minHoldout) shortfalls.push({ code: 'few_held_out_rows', rows: holdout, needed: minHoldout })
  if (overlap > 0) shortfalls.push({ code: 'near_duplicates_scored', rows: overlap })
  return shortfalls
}

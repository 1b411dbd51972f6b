import { MODEL_BOUNDS } from '../recipe/tabular-recipe.ts'
import type { BoostSettings } from '../trees/boost.ts'

/** Strengths of the L2 penalty, strongest first: each fit starts where the stronger one ended. */
const PENALTIES = [1000, 100, 30, 10, 3, 1, 0.3, 0.1, 0.01] as const
/** Those of a fit with a small share. */
const FEW_PENALTIES = [300, 30, 3, 0.3, 0.03] as const
const SMALL_SHARE = 0.5
const FOLDS = 5
/** Up to so many rows take turns in folds; of more one part is held back once. */
const FOLDED_ROWS = 6000
const HELD_SHARE = 0.2
const MOST_HELD = 5000
/** Rows on which settings compete at most. */
const SAMPLED_ROWS = 50_000
const LEAST_SAMPLED = 1000
/** Additions of all inner fits of the trees, and of the fit on all rows. */
const TREE_WORK = 2e9
const LAST_TREE_WORK = 6e9
/** Multiplications of all inner fits of the linear learner. */
const LINEAR_WORK = 2e9
/** Passes over the rows of a node's features that a tree of the usual depth takes, with the larger child for free. */
const PASSES = 3
/** Work of a bin for each leaf, in additions: subtracting histograms and looking for a split. */
const BIN_COST = 4
const MOST_ROUNDS = 300
/** Part of the most rounds that a fit with a small share may still take: small tables end by rounds, not by work. */
const LEAST_ROUND_SHARE = 1 / 3
const LEAST_ROUNDS = 20
const MOST_ITERATIONS = 100
const LEAST_ITERATIONS = 15
/** Features that each tree may split by at least: a product of two columns is found only by a tree that sees both. */
const LEAST_TREE_FEATURES = 8
/** Rounds times rate: the way that the scores go, whatever the size of the steps. */
const WAY = 15

/** The rows on which settings compete. */
export interface SamplePlan {
  readonly sampledRows: number
  /** Rows of the sample that are held back once; null: each row is held back, in folds. */
  readonly heldRows: number | null
}

/** Plans the competition of so many rows. `share` scales the bounds. */
export function planSample(rows: number, share: number): SamplePlan {
  if (rows <= FOLDED_ROWS * share || rows <= LEAST_SAMPLED) return { sampledRows: rows, heldRows: null }
  const sampledRows = Math.min(rows, Math.max(LEAST_SAMPLED, Math.floor(SAMPLED_ROWS * share)))
  return { sampledRows, heldRows: Math.min(MOST_HELD, Math.ceil(sampledRows * HELD_SHARE)) }
}

/** Candidates of a fit, within its limit of work. */
export interface FitPlan {
  readonly penalties: readonly number[]
  /** Of the optimiser of the linear learner, at most. */
  readonly iterations: number
  /** None where trees would exceed the bounds. */
  readonly contenders: readonly BoostSettings[]
}

/** Size of a fit. */
export interface FitSize extends SamplePlan {
  readonly rows: number
  readonly features: number
  /** Bins of all features together. */
  readonly bins: number
  readonly scores: number
}

/** Plans a fit. `share` scales the bounds of work. */
export function planFit(size: FitSize, { seed, share }: { readonly seed: number; readonly share: number }): FitPlan {
  const { rows, features, bins, scores, sampledRows, heldRows } = size
  const fits = heldRows === null ? FOLDS : 1
  const fittedRows = heldRows === null ? (rows * (FOLDS - 1)) / FOLDS : sampledRows - heldRows
  const penalties = share < SMALL_SHARE ? FEW_PENALTIES : PENALTIES
  const linearWork = fittedRows * fits * features * scores * 2 * penalties.length
  const iterations = Math.floor((LINEAR_WORK * share) / linearWork)
  const shapes = treeShapes(sampledRows, features)
  const roundWork = (rowsOfFit: number): number =>
    scores * Math.max(...shapes.map(({ maxLeaves }) => rowsOfFit * features * PASSES + maxLeaves * bins * BIN_COST))
  const affordable = Math.min(
    (TREE_WORK * share) / (roundWork(fittedRows) * fits * shapes.length),
    LAST_TREE_WORK / roundWork(rows),
    MODEL_BOUNDS.trees / scores,
    MODEL_BOUNDS.nodes / (scores * Math.max(...shapes.map(({ maxLeaves }) => maxLeaves - 1))),
  )
  const mostRounds = Math.round(MOST_ROUNDS * Math.max(LEAST_ROUND_SHARE, share))
  const rounds = Math.min(mostRounds, Math.floor(affordable))
  const rate = Math.min(0.3, Math.max(0.05, WAY / rounds))
  return {
    penalties,
    iterations: Math.max(LEAST_ITERATIONS, Math.min(MOST_ITERATIONS, iterations)),
    contenders: rounds < LEAST_ROUNDS ? [] : shapes.map((shape) => ({ ...shape, rounds, rate, seed })),
  }
}

type Shape = Omit<BoostSettings, 'rounds' | 'rate' | 'seed'>

/** Shallow trees that see a part of rows and features, and large ones. */
function treeShapes(rows: number, features: number): readonly Shape[] {
  const leastRows = Math.max(1, Math.min(20, Math.floor(rows / 40)))
  const featureShare = Math.min(1, Math.max(0.6, LEAST_TREE_FEATURES / features))
  const common = { leastCurvature: 1e-3, l2: 1, featureShare }
  return [
    {
      ...common,
      maxLeaves: 6,
      maxDepth: 3,
      leastRows: Math.max(1, Math.ceil(leastRows / 2)),
      rowShare: 0.7,
    },
    { ...common, maxLeaves: 31, maxDepth: 12, leastRows, rowShare: 0.8 },
  ]
}

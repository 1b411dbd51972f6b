import { fitLinear, measureScaling, scaleRows, scoreLinear, type LinearWeights } from '../linear/fit-linear.ts'
import type { BinnedRows } from '../trees/bins.ts'
import { boostTrees, type BoostSettings } from '../trees/boost.ts'
import type { Division } from './folds.ts'
import { meanLoss, pickTruth, type Truth } from './losses.ts'

/** Rows on which settings compete. */
export interface CrossFitInput {
  /** Features of all rows, row after row. */
  readonly matrix: Float64Array
  readonly features: number
  readonly binned: BinnedRows
  readonly truth: Truth
  readonly division: Division
  readonly checkpoint: () => void
}

/** The winner of a competition with its scores for the judged rows, each from a fit that did not see the row. */
export interface Competition<T> {
  readonly settings: T
  readonly scores: Float64Array
  readonly loss: number
}

/** Takes the scores of held-back rows to their places among the judged rows. */
function createKeeper({
  division,
  truth,
}: CrossFitInput): (held: Uint32Array) => (to: Float64Array | undefined, scores: Float64Array) => void {
  const placeOf = new Map([...division.judged].map((row, place) => [row, place]))
  const { scores: width } = truth
  return (held) => {
    const places = held.map((row) => placeOf.get(row) ?? 0)
    return (to, scores) => {
      for (const [j, place] of places.entries()) to?.set(scores.subarray(j * width, (j + 1) * width), place * width)
    }
  }
}

/** Lets penalties of the linear learner compete; each fit starts at the weights of the penalty before. */
export function competeLinear(
  input: CrossFitInput,
  penalties: readonly number[],
  iterations: number,
): Competition<{ readonly penalty: number }> {
  const { matrix, features, truth, division } = input
  const { scores: width } = truth
  const found = penalties.map(() => new Float64Array(division.judged.length * width))
  const keeper = createKeeper(input)
  for (const { fitted, held } of division.folds) {
    const keep = keeper(held)
    const scaling = measureScaling(matrix, features, fitted)
    const rows = scaleRows(matrix, scaling, fitted)
    const heldRows = scaleRows(matrix, scaling, held)
    const own = pickTruth(truth, fitted)
    let start: LinearWeights | undefined
    for (const [i, penalty] of penalties.entries()) {
      const settings = { penalty, iterations, checkpoint: input.checkpoint, ...(start === undefined ? {} : { start }) }
      start = fitLinear(rows, own, settings)
      keep(found[i], scoreLinear(heldRows, width, start))
    }
  }
  return best(
    pickTruth(truth, division.judged),
    penalties.map((penalty, i) => ({ settings: { penalty }, scores: found[i] ?? new Float64Array() })),
  )
}

/** Moments of a boosting run whose scores are kept, and after how many without improvement a fold ends. */
const STAGES = 20
const PATIENCE = 4

/** Lets settings of boosted trees compete; the number of rounds is chosen among twenty stages of each. */
export function competeTrees(input: CrossFitInput, contenders: readonly BoostSettings[]): Competition<BoostSettings> {
  const { binned, truth, division, checkpoint } = input
  const { scores: width } = truth
  const keeper = createKeeper(input)
  const candidates = contenders.flatMap((settings) => {
    const step = Math.max(1, Math.ceil(settings.rounds / STAGES))
    const stages = Array.from({ length: Math.ceil(settings.rounds / step) }, (_, i) => (i + 1) * step)
    const found = stages.map(() => new Float64Array(division.judged.length * width))
    for (const { fitted, held } of division.folds) {
      const own = pickTruth(truth, held)
      const keep = keeper(held)
      let bestStage = 0
      let least = Infinity
      boostTrees(binned, truth, fitted, settings, {
        checkpoint,
        afterRound(round, scores) {
          if ((round + 1) % step !== 0) return true
          const stage = (round + 1) / step - 1
          const heldScores = new Float64Array(held.length * width)
          for (const [j, row] of held.entries())
            heldScores.set(scores.subarray(row * width, (row + 1) * width), j * width)
          // Later stages have these scores too, if the fold ends here.
          for (let later = stage; later < stages.length; later++) keep(found[later], heldScores)
          const loss = meanLoss(own, heldScores)
          if (loss < least) [least, bestStage] = [loss, stage]
          return stage - bestStage < PATIENCE
        },
      })
    }
    return stages.map((rounds, i) => ({ settings: { ...settings, rounds }, scores: found[i] ?? new Float64Array() }))
  })
  return best(pickTruth(truth, division.judged), candidates)
}

function best<T>(truth: Truth, candidates: readonly Omit<Competition<T>, 'loss'>[]): Competition<T> {
  const judged = candidates.map((candidate) => ({ ...candidate, loss: meanLoss(truth, candidate.scores) }))
  const [first, ...others] = judged
  if (first === undefined) throw new RangeError('at least one contender is needed')
  return others.reduce((leader, one) => (one.loss < leader.loss ? one : leader), first)
}

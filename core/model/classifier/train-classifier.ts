import type { Row } from '../../compiler/task.ts'
import { fitTemperature, predict, type HeldOutScores } from './calibration.ts'
import type { ClassifierRecipe } from './classifier-recipe.ts'
import type { FeatureSettings } from './features.ts'
import { listLabels } from './label-task.ts'
import { createRandom, fitLogisticRegression, scoreRow, type FitSettings } from './logistic-regression.ts'
import { buildSparseRows, type SparseRows } from './sparse-rows.ts'
import { encodeLayer, quantizeLayer } from './weights.ts'

/** Settings that compete on inner cross-validation; a later one must be clearly better than the first. */
const CONTENDERS = [
  { wordGrams: 2, charGrams: [3, 4] },
  { wordGrams: 2, charGrams: [3, 5] },
  { wordGrams: 2, charGrams: [0, 0] },
] as const satisfies readonly FeatureSettings[]

const INNER_FOLDS = 5
/** Rows that the inner cross-validation uses at most; beyond that its answer hardly changes. */
const INNER_ROWS = 3000
/** Weights of a model at most: 2 MB of bytes in the archive. */
const MAX_WEIGHTS = 2_000_000
const FIT: FitSettings = {
  epochs: 20,
  enoughSteps: 100_000,
  leastEpochs: 3,
  inverseStrength: 30,
  workLimit: 3e9,
  seed: 20260101,
}
const INNER_WORK_LIMIT = 4e8

/** How a training run is bounded and watched. */
export interface TrainingOptions {
  /** How many settings compete at most. */
  readonly contenders: number
  readonly onStep?: (done: number, total: number) => void
  /** Called between fits; ends the run by throwing. */
  readonly checkpoint?: () => void
}

/** How one contender did on the rows held back from it. */
export interface ContenderResult {
  readonly features: FeatureSettings
  readonly rows: number
  readonly right: number
  readonly logLoss: number
  readonly trainingSteps: number
  readonly chosen: boolean
}

/** A trained classifier and what it was chosen from. */
export interface TrainedClassifier {
  readonly recipe: ClassifierRecipe
  readonly weights: Uint8Array
  readonly contenders: readonly ContenderResult[]
  /** Inner cross-validation of the chosen settings with the fitted temperature. */
  readonly innerPredictions: readonly { readonly confidence: number; readonly correct: boolean }[]
  readonly trainingSteps: number
}

/** The fold of each row: rows of a label are dealt out in turn after a seeded shuffle. */
function dealFolds(targets: Uint32Array, folds: number): Uint8Array {
  const order = Uint32Array.from(targets.keys())
  const random = createRandom(FIT.seed)
  const place = new Float64Array(targets.length).map(() => random())
  order.sort((a, b) => (targets[a] ?? 0) - (targets[b] ?? 0) || (place[a] ?? 0) - (place[b] ?? 0))
  const fold = new Uint8Array(targets.length)
  order.forEach((row, i) => (fold[row] = i % folds))
  return fold
}

/** Up to `limit` rows, of every label its share: a seeded shuffle cut off. */
function innerSample(count: number, limit: number): Uint32Array {
  if (count <= limit) return Uint32Array.from({ length: count }, (_, i) => i)
  const random = createRandom(FIT.seed + 1)
  const keyed = Array.from({ length: count }, (_, row) => ({ row, key: random() }))
  keyed.sort((a, b) => a.key - b.key)
  return Uint32Array.from(keyed.slice(0, limit), ({ row }) => row).sort()
}

interface InnerRun {
  readonly predictions: readonly HeldOutScores[]
  readonly steps: number
}

function crossValidate(rows: SparseRows, targets: Uint32Array, labels: number, afterFit: () => void): InnerRun {
  const folds = Math.min(INNER_FOLDS, targets.length)
  const fold = dealFolds(targets, folds)
  const predictions: HeldOutScores[] = []
  let steps = 0
  const all = Uint32Array.from(targets.keys())
  for (let held = 0; held < folds; held++) {
    const fitted = all.filter((row) => fold[row] !== held)
    const model = fitLogisticRegression(rows, fitted, targets, labels, { ...FIT, workLimit: INNER_WORK_LIMIT / folds })
    steps += model.steps
    for (const row of all) {
      if (fold[row] !== held) continue
      const scores = new Float64Array(labels)
      scoreRow(model, rows, row, scores)
      predictions.push({ scores, target: targets[row] ?? 0 })
    }
    afterFit()
  }
  return { predictions, steps }
}

interface ContenderRun {
  readonly features: FeatureSettings
  readonly temperature: number
  readonly logLoss: number
  readonly steps: number
  readonly judged: readonly { readonly label: number; readonly confidence: number; readonly target: number }[]
  readonly right: number
}

/**
 * The first contender unless another gets more held-back rows right by over one standard error of the first's count;
 * a smaller lead is most likely chance.
 */
function pickWinner(runs: readonly ContenderRun[]): ContenderRun {
  const [first] = runs
  if (first === undefined) throw new RangeError('at least one contender is needed')
  const rows = first.judged.length
  const error = Math.sqrt((first.right * (rows - first.right)) / Math.max(1, rows))
  const best = runs.reduce((leader, run) => (run.right > leader.right ? run : leader))
  return best.right > first.right + error ? best : first
}

/**
 * Trains a classifier on label rows: feature settings compete on inner cross-validation, the winner is calibrated on
 * the held-back predictions and fitted on all rows. Deterministic. The threshold of the recipe is 0: the verifier
 * sets it. Returns null when the outputs cannot be labels at all; whether they are is for `detectLabelTask` to say.
 */
export function trainClassifier(rows: readonly Row[], options: TrainingOptions): TrainedClassifier | null {
  const task = listLabels(rows.map(({ output }) => output))
  if (task === null) return null
  const labels = task.labels.length
  const maxColumns = Math.max(256, Math.floor(MAX_WEIGHTS / labels))
  const inputs = rows.map(({ input }) => input)
  const sample = innerSample(rows.length, INNER_ROWS)
  const sampleInputs = rows.length === sample.length ? inputs : [...sample].flatMap((row) => inputs[row] ?? null)
  const sampleTargets = sample.map((row) => task.targets[row] ?? 0)
  const contenders = CONTENDERS.slice(0, Math.max(1, options.contenders))
  const total = contenders.length * Math.min(INNER_FOLDS, sample.length) + 1
  let done = 0
  const afterFit = (): void => {
    options.checkpoint?.()
    options.onStep?.(++done, total)
  }
  const runs = contenders.map((features): ContenderRun => {
    const sparse = buildSparseRows(sampleInputs, features, maxColumns)
    const { predictions, steps } = crossValidate(sparse, sampleTargets, labels, afterFit)
    const { temperature, logLoss } = fitTemperature(predictions)
    const judged = predictions.map((one) => ({ ...predict(one, temperature), target: one.target }))
    return {
      features,
      temperature,
      logLoss,
      steps,
      judged,
      right: judged.filter((one) => one.label === one.target).length,
    }
  })
  const winner = pickWinner(runs)
  const sparse = buildSparseRows(inputs, winner.features, maxColumns)
  const model = fitLogisticRegression(sparse, Uint32Array.from(inputs.keys()), task.targets, labels, FIT)
  const layer = quantizeLayer(model, sparse.dictionary)
  afterFit()
  return {
    recipe: {
      format: 'svc-classifier-1',
      labels: [...task.labels],
      features: { wordGrams: winner.features.wordGrams, charGrams: [...winner.features.charGrams] },
      feature_count: layer.hashes.length,
      temperature: winner.temperature,
      threshold: 0,
    },
    weights: encodeLayer(layer),
    contenders: runs.map((run) => ({
      features: run.features,
      rows: run.judged.length,
      right: run.right,
      logLoss: run.logLoss,
      trainingSteps: run.steps,
      chosen: run === winner,
    })),
    innerPredictions: winner.judged.map(({ confidence, label, target }) => ({ confidence, correct: label === target })),
    trainingSteps: model.steps + runs.reduce((sum, run) => sum + run.steps, 0),
  }
}

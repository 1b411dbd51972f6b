import type { Json } from '../../kernel/json/json.ts'
import { fitTemperature, predict, type HeldOutScores } from './calibration.ts'
import type { ClassifierRecipe } from './classifier-recipe.ts'
import type { FeatureSettings } from './features.ts'
import { listLabels } from './label-task.ts'
import {
  countSteps,
  mulberry32,
  fitLogisticRegression,
  scoreRow,
  workPerRow,
  type FitSettings,
} from './logistic-regression.ts'
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
  workLimit: 2e9,
  seed: 20260101,
}
/** Multiply-adds of all folds of one contender. */
const INNER_WORK_LIMIT = 2e8
/** Characters read for one contender, and for the fit on all rows. */
const INNER_CHARS = 1_500_000
const FIT_CHARS = 6_000_000

/** Bounds and hooks of a training run. */
export interface TrainingOptions {
  /** Maximum number of competing settings. */
  readonly contenders: number
  /** Share of the usual work bounds that this training may use, above 0 up to 1; 1 when absent. */
  readonly share?: number
  readonly onStep?: (done: number, total: number) => void
  /** Called for every row; ends the run by throwing. */
  readonly checkpoint?: () => void
}

/** Result of one contender on the rows held back from it. */
export interface ContenderResult {
  readonly features: FeatureSettings
  readonly rows: number
  readonly right: number
  readonly logLoss: number
  readonly trainingSteps: number
  readonly chosen: boolean
}

/** A trained classifier and the results of the competition. */
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
  const random = mulberry32(FIT.seed)
  const place = new Float64Array(targets.length).map(() => random())
  order.sort((a, b) => (targets[a] ?? 0) - (targets[b] ?? 0) || (place[a] ?? 0) - (place[b] ?? 0))
  const fold = new Uint8Array(targets.length)
  order.forEach((row, i) => (fold[row] = i % folds))
  return fold
}

/** Up to `limit` rows, of every label its share: a seeded shuffle cut off. */
function innerSample(count: number, limit: number): Uint32Array {
  if (count <= limit) return Uint32Array.from({ length: count }, (_, i) => i)
  const random = mulberry32(FIT.seed + 1)
  const keyed = Array.from({ length: count }, (_, row) => ({ row, key: random() }))
  keyed.sort((a, b) => a.key - b.key)
  return Uint32Array.from(keyed.slice(0, limit), ({ row }) => row).sort()
}

interface InnerRun {
  readonly predictions: readonly HeldOutScores[]
  readonly steps: number
}

interface InnerFits {
  readonly settings: FitSettings
  readonly checkpoint: () => void
  readonly afterFit: () => void
}

function crossValidate(rows: SparseRows, targets: Uint32Array, labels: number, fits: InnerFits): InnerRun {
  const folds = Math.min(INNER_FOLDS, targets.length)
  const fold = dealFolds(targets, folds)
  const predictions: HeldOutScores[] = []
  let steps = 0
  const all = Uint32Array.from(targets.keys())
  for (let held = 0; held < folds; held++) {
    const fitted = all.filter((row) => fold[row] !== held)
    const model = fitLogisticRegression(rows, fitted, targets, labels, fits.settings, fits.checkpoint)
    steps += model.steps
    for (const row of all) {
      if (fold[row] !== held) continue
      const scores = new Float64Array(labels)
      scoreRow(model, rows, row, scores)
      predictions.push({ scores, target: targets[row] ?? 0 })
    }
    fits.afterFit()
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

/** Size of a training, for an estimate of its time. */
export interface TrainingPlan {
  readonly contenders: number
  readonly folds: number
  /** Multiply-adds of all fits. */
  readonly work: number
}

/** Returns the plan of `trainClassifier` for these numbers of rows, labels and features per row. */
export function planTraining(rows: number, labels: number, featuresPerRow: number, asked: number): TrainingPlan {
  const contenders = Math.min(CONTENDERS.length, Math.max(1, asked))
  const innerRows = Math.min(rows, INNER_ROWS)
  const folds = Math.min(INNER_FOLDS, innerRows)
  const rowWork = workPerRow(featuresPerRow, labels)
  const innerSettings = { ...FIT, workLimit: INNER_WORK_LIMIT / INNER_FOLDS }
  const fitted = folds === 0 ? 0 : Math.ceil((innerRows * (folds - 1)) / folds)
  const inner = contenders * folds * countSteps(fitted, rowWork, innerSettings)
  return { contenders, folds, work: (inner + countSteps(rows, rowWork, FIT)) * rowWork }
}

/** An input with the label that it must get. */
interface LabelledRow {
  readonly input: Json
  readonly output: Json
}

/**
 * Trains a classifier on label rows: feature settings compete on inner cross-validation, the winner is calibrated on
 * the held-back predictions and fitted on all rows. Deterministic. The threshold of the recipe is 0: the verifier sets
 * it. Returns null when the outputs cannot be labels; `detectLabelTask` decides whether they should be treated as
 * labels.
 */
export function trainClassifier(rows: readonly LabelledRow[], options: TrainingOptions): TrainedClassifier | null {
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
  const share = options.share ?? 1
  const checkpoint = (): void => options.checkpoint?.()
  const afterFit = (): void => options.onStep?.(++done, total)
  const innerFits = {
    settings: { ...FIT, workLimit: (INNER_WORK_LIMIT * share) / INNER_FOLDS },
    checkpoint,
    afterFit,
  }
  const readInner = { maxColumns, maxChars: INNER_CHARS * share, checkpoint }
  const runs = contenders.map((features): ContenderRun => {
    const sparse = buildSparseRows(sampleInputs, features, readInner)
    const { predictions, steps } = crossValidate(sparse, sampleTargets, labels, innerFits)
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
  const sparse = buildSparseRows(inputs, winner.features, { maxColumns, maxChars: FIT_CHARS * share, checkpoint })
  const settings = { ...FIT, workLimit: FIT.workLimit * share }
  const all = Uint32Array.from(inputs.keys())
  const model = fitLogisticRegression(sparse, all, task.targets, labels, settings, checkpoint)
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

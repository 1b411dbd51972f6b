import type { Json } from '../../kernel/json/json.ts'
import {
  fitTemperature,
  logLosses,
  predict,
  temperatureWork,
  type HeldOutScores,
  type TemperatureBounds,
} from './calibration.ts'
import type { ClassifierRecipe } from './classifier-recipe.ts'
import { DualFit } from './dual-fit.ts'
import type { FeatureSettings } from './features.ts'
import { listLabels } from './label-task.ts'
import { countSteps, mulberry32, scoreRow, workPerRow, type FitSettings } from './logistic-regression.ts'
import { buildSparseRows, type SparseRows } from './sparse-rows.ts'
import { encodeLayer, quantizeLayer } from './weights.ts'

/** Features that compete on inner cross-validation. The first are kept unless others are clearly better. */
const CONTENDERS = [
  { wordGrams: 2, charGrams: [3, 4] },
  { wordGrams: 2, charGrams: [2, 4] },
  { wordGrams: 2, charGrams: [0, 0] },
] as const satisfies readonly FeatureSettings[]
/**
 * Inverse strengths of the penalty that compete on the first features. The weakest penalty is kept unless a stronger one is
 * clearly better, as it is where labels are wrong.
 */
const INVERSE_STRENGTHS = [30, 10, 3, 1] as const

const INNER_FOLDS = 5
/** Rows that the inner cross-validation uses at most; beyond that its answer hardly changes. */
const INNER_ROWS = 3000
/** Weights of a model at most: 2 MB of bytes in the archive. */
const MAX_WEIGHTS = 2_000_000
const FIT: FitSettings = {
  epochs: 20,
  enoughSteps: 100_000,
  leastEpochs: 3,
  workLimit: 2e9,
  seed: 20260101,
}
/** Multiply-adds of all folds for one setting. */
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

/** Features of a classifier with the inverse strength of the L2 penalty of its weights. */
export interface ClassifierSettings {
  readonly features: FeatureSettings
  readonly inverseStrength: number
}

/** Result of one setting on the rows held back from it. */
export interface ContenderResult extends ClassifierSettings {
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

interface InnerFits {
  readonly settings: FitSettings
  readonly checkpoint: () => void
  readonly afterFit: () => void
}

interface InnerRun {
  readonly steps: number
  readonly predictions: readonly HeldOutScores[]
}

/** Scores every row by a fit without its fold. */
function crossValidate(
  rows: SparseRows,
  { targets, labels }: { readonly targets: Uint32Array; readonly labels: number },
  inverseStrength: number,
  fits: InnerFits,
): InnerRun {
  const folds = Math.min(INNER_FOLDS, targets.length)
  const fold = dealFolds(targets, folds)
  const all = Uint32Array.from(targets.keys())
  const predictions: HeldOutScores[] = []
  let steps = 0
  for (let held = 0; held < folds; held++) {
    const chosen = all.filter((row) => fold[row] !== held)
    // Each setting begins anew: where the work is bounded, one that went on from another would have had more of it.
    const fit = new DualFit({ rows, chosen, targets, labels }, fits.settings, fits.checkpoint).fit(inverseStrength)
    steps += fit.steps
    for (const row of all) {
      if (fold[row] !== held) continue
      const scores = new Float64Array(labels)
      scoreRow(fit.model, rows, row, scores)
      predictions.push({ scores, target: targets[row] ?? 0 })
    }
  }
  fits.afterFit()
  return { steps, predictions }
}

interface ContenderRun extends ClassifierSettings {
  readonly temperature: number
  readonly logLoss: number
  /** Of each held-back row, in the same order for all runs. */
  readonly losses: Float64Array
  readonly steps: number
  readonly judged: readonly { readonly label: number; readonly confidence: number; readonly target: number }[]
  readonly right: number
}

function judge(
  { features, inverseStrength }: ClassifierSettings,
  { steps, predictions }: InnerRun,
  bounds: TemperatureBounds,
): ContenderRun {
  const { temperature, logLoss } = fitTemperature(predictions, bounds)
  const judged = predictions.map((one) => ({ ...predict(one, temperature), target: one.target }))
  return {
    features,
    inverseStrength,
    temperature,
    logLoss,
    losses: logLosses(predictions, temperature),
    steps,
    judged,
    right: judged.filter((one) => one.label === one.target).length,
  }
}

/**
 * The first run whose log loss is above the least by at most one standard error of their difference, paired by row: a
 * smaller lead is most likely chance.
 */
function pickWinner(runs: readonly ContenderRun[]): ContenderRun {
  const [first] = runs
  if (first === undefined) throw new RangeError('at least one contender is needed')
  const best = runs.reduce((leader, run) => (mean(run.losses) < mean(leader.losses) ? run : leader))
  const isAsGood = (run: ContenderRun): boolean => {
    const differences = run.losses.map((loss, row) => loss - (best.losses[row] ?? 0))
    const lead = mean(differences)
    const variance = mean(differences.map((difference) => (difference - lead) ** 2))
    return lead <= Math.sqrt(variance / differences.length)
  }
  return runs.find(isAsGood) ?? best
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Size of a training, for an estimate of its time. */
export interface TrainingPlan {
  readonly contenders: number
  readonly folds: number
  /** Multiply-adds of all fits and of what judges them, at most. */
  readonly work: number
}

/** Returns the plan of `trainClassifier` for these numbers of rows, labels and features per row. */
export function planTraining(rows: number, labels: number, featuresPerRow: number, asked: number): TrainingPlan {
  const contenders = Math.min(CONTENDERS.length, Math.max(1, asked)) + INVERSE_STRENGTHS.length - 1
  const innerRows = Math.min(rows, INNER_ROWS)
  const folds = Math.min(INNER_FOLDS, innerRows)
  const rowWork = workPerRow(featuresPerRow, labels)
  const innerSettings = { ...FIT, workLimit: INNER_WORK_LIMIT / INNER_FOLDS }
  const fitted = folds === 0 ? 0 : Math.ceil((innerRows * (folds - 1)) / folds)
  const inner = contenders * folds * countSteps(fitted, rowWork, innerSettings)
  const judging = contenders * temperatureWork(innerRows, labels)
  return { contenders, folds, work: (inner + countSteps(rows, rowWork, FIT)) * rowWork + judging }
}

/** An input with the label that it must get. */
interface LabelledRow {
  readonly input: Json
  readonly output: Json
}

/**
 * Trains a classifier on label rows: strengths of the penalty and then features compete on inner cross-validation, the
 * winner is calibrated on the held-back predictions and fitted on all rows. Deterministic. The threshold of the recipe is 0:
 * the verifier sets it. Returns null when the outputs cannot be labels; `detectLabelTask` decides whether they should be
 * treated as labels.
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
  const total = contenders.length + INVERSE_STRENGTHS.length
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
  const inner = { targets: sampleTargets, labels }
  const bounds = { share, checkpoint }
  const compete = (features: FeatureSettings, strengths: readonly number[]) => {
    const sparseInner = buildSparseRows(sampleInputs, features, readInner)
    return strengths.map((inverseStrength) => {
      const run = crossValidate(sparseInner, inner, inverseStrength, innerFits)
      return judge({ features, inverseStrength }, run, bounds)
    })
  }
  const [firstFeatures, ...otherFeatures] = contenders
  const ofStrengths = compete(firstFeatures ?? CONTENDERS[0], INVERSE_STRENGTHS)
  const strongest = pickWinner(ofStrengths)
  const ofFeatures = otherFeatures.flatMap((features) => compete(features, [strongest.inverseStrength]))
  const winner = pickWinner([strongest, ...ofFeatures])
  const runs = [...ofStrengths, ...ofFeatures]
  const sparse = buildSparseRows(inputs, winner.features, { maxColumns, maxChars: FIT_CHARS * share, checkpoint })
  const settings = { ...FIT, workLimit: FIT.workLimit * share }
  const all = Uint32Array.from(inputs.keys())
  const fit = new DualFit({ rows: sparse, chosen: all, targets: task.targets, labels }, settings, checkpoint)
  const { model } = fit.fit(winner.inverseStrength)
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
      inverseStrength: run.inverseStrength,
      rows: run.judged.length,
      right: run.right,
      logLoss: run.logLoss,
      trainingSteps: run.steps,
      chosen: run === winner,
    })),
    innerPredictions: winner.judged.map(({ confidence, label, target }) => ({ confidence, correct: label === target })),
    trainingSteps: fit.steps + runs.reduce((sum, run) => sum + run.steps, 0),
  }
}

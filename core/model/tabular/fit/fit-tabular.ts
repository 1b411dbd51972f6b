import type { Json } from '../../../kernel/json/json.ts'
import { createFeatureReader } from '../features/feature-reader.ts'
import { inferColumns, type DroppedColumn } from '../features/infer-columns.ts'
import { fitLinear, measureScaling, scaleRows } from '../linear/fit-linear.ts'
import { encodeArrays } from '../recipe/arrays.ts'
import { formatOf, type Column, type TabularRecipe } from '../recipe/tabular-recipe.ts'
import { binRows } from '../trees/bins.ts'
import { boostTrees, type BoostSettings } from '../trees/boost.ts'
import { assemble, type FittedLinear, type FittedTrees } from './assemble.ts'
import { blendScores, chooseBlend, type Blend } from './blend.ts'
import { competeLinear, competeTrees, type Competition } from './cross-fit.ts'
import { divideRows, sampleRows } from './folds.ts'
import { countRows, pickTruth, type Truth } from './losses.ts'
import { planFit, planSample } from './plan-fit.ts'
import { settleTarget, type HeldBackAnswer, type IsSameAnswer } from './settle-target.ts'
import { readTargets, type TargetForm } from './targets.ts'

/** Bounds and hooks of a fit. */
export interface TabularOptions {
  readonly target: TargetForm['kind']
  readonly seed: number
  /** Share of the usual work bounds that this fit may use, above 0 up to 1. */
  readonly share: number
  /** Called again and again; ends the fit by throwing. */
  readonly checkpoint: () => void
  /** Judges the answers to held-back rows; the same canonical JSON when absent. */
  readonly isSame?: IsSameAnswer
}

/** A fitted tabular model and how it was chosen. */
export interface FittedTabular {
  readonly recipe: TabularRecipe
  readonly weights: Uint8Array
  readonly dropped: readonly DroppedColumn[]
  /** Share of the linear learner in the scores; the trees have the rest. */
  readonly linearShare: number
  readonly penalty: number | null
  readonly rounds: number
  /** Loss of the blend on the rows that settings competed on. */
  readonly loss: number
  /** Iterations of the linear learner and trees, of all fits together. */
  readonly steps: number
  /** Answers for the rows that settings competed on, each from a fit that did not see the row. */
  readonly heldBack: readonly HeldBackAnswer[]
}

/** A fit that has no result, and why. */
export interface NoFit {
  readonly reason: string
}

/**
 * Fits a tabular model to rows: finds the columns, lets penalties, settings of trees and their blend compete on
 * cross-fitted scores inside these rows, calibrates the blend, and fits it on all rows. Deterministic by seed.
 */
export function fitTabular(
  rows: readonly { readonly input: Json; readonly output: Json }[],
  given: TabularOptions,
): FittedTabular | NoFit {
  let steps = 0
  const options = { ...given, checkpoint: () => (steps++, given.checkpoint()) }
  const target = readTargets(
    given.target,
    rows.map(({ output }) => output),
  )
  if (target === null) return { reason: NO_TARGET[given.target] }
  const inputs = rows.map(({ input }) => input)
  const { columns, dropped } = inferColumns(inputs)
  if (columns.length === 0) return { reason: 'no member of the inputs differs from row to row' }
  // A classifier of texts answers one label better, and neither a list of labels nor a number.
  if (given.target === 'label' && columns.every(({ kind }) => kind === 'text'))
    return { reason: 'no member of the inputs is a number, a date, a yes or no, a list or a category' }
  const { truth, form } = target
  const matrix = readMatrix(inputs, columns, given.checkpoint)
  const table = { matrix, features: matrix.length / inputs.length, truth }
  const choice = chooseLearners(table, options)
  const { linear, trees, blend } = choice
  const factor = form.kind === 'number' ? form.spread : 1 / blend.temperature
  const offset = form.kind === 'number' ? form.mean : 0
  const held = blendScores(linear.scores, trees?.scores ?? null, blend.linear).map((score) => score * factor + offset)
  const judged = [...choice.judged].map((row) => rows[row]?.output ?? null)
  const { target: settled, heldBack } = settleTarget(form, held, judged, given.isSame)
  const usesTrees = trees !== null && blend.linear < 1
  const arrays = assemble({
    features: table.features,
    scores: truth.scores,
    linear: blend.linear > 0 ? refitLinear(table, linear.settings.penalty, choice.iterations, options) : null,
    trees: usesTrees ? refitTrees(table, trees.settings, options) : null,
    share: blend.linear,
    factor,
    offset,
  })
  return {
    recipe: { format: formatOf(columns), columns: [...columns], target: settled },
    weights: encodeArrays(arrays),
    dropped,
    linearShare: blend.linear,
    penalty: blend.linear > 0 ? linear.settings.penalty : null,
    rounds: usesTrees ? trees.settings.rounds : 0,
    loss: blend.loss,
    steps,
    heldBack,
  }
}

const NO_TARGET = {
  label: 'outputs are not 2 to 1000 different short scalars',
  number: 'outputs are not numbers that differ',
  labels: 'outputs are not lists of at most 100 different labels',
} as const satisfies Record<TargetForm['kind'], string>

function readMatrix(inputs: readonly Json[], columns: readonly Column[], checkpoint: () => void): Float64Array {
  const reader = createFeatureReader(columns)
  const matrix = new Float64Array(inputs.length * reader.features)
  for (const [row, input] of inputs.entries()) {
    checkpoint()
    reader.read(input, matrix, row * reader.features)
  }
  return matrix
}

/** The features of all rows, row after row, and what they are fitted to. */
interface Table {
  readonly matrix: Float64Array
  readonly features: number
  readonly truth: Truth
}

/** The winners of the competition. */
interface Choice {
  readonly linear: Competition<{ readonly penalty: number }>
  readonly trees: Competition<BoostSettings> | null
  readonly blend: Blend
  /** Rows that the scores of the winners belong to. */
  readonly judged: Uint32Array
  /** Of the optimiser of the linear learner. */
  readonly iterations: number
}

/** Lets learners compete on cross-fitted scores of the rows, or of a sample of many rows. */
function chooseLearners(table: Table, { seed, share, checkpoint }: TabularOptions): Choice {
  const rows = countRows(table.truth)
  const planned = planSample(rows, share)
  const sample = sampleRows(rows, planned.sampledRows, seed)
  const { matrix, features, truth } = sample.length === rows ? table : pickRows(table, sample)
  const division = divideRows(truth, planned.heldRows, seed)
  const binned = binRows(matrix, features)
  const bins = binned.thresholds.reduce((sum, { length }) => sum + length + 2, 0)
  const plan = planFit({ ...planned, rows, features, bins, scores: truth.scores }, { seed, share })
  const input = { matrix, features, binned, truth, division, checkpoint }
  const linear = competeLinear(input, plan.penalties, plan.iterations)
  const trees = plan.contenders.length === 0 ? null : competeTrees(input, plan.contenders)
  const blend = chooseBlend(pickTruth(truth, division.judged), linear.scores, trees?.scores ?? null)
  const judged = division.judged.map((row) => sample[row] ?? 0)
  return { linear, trees, blend, judged, iterations: plan.iterations }
}

function pickRows({ matrix, features, truth }: Table, rows: Uint32Array): Table {
  const picked = new Float64Array(rows.length * features)
  for (const [i, row] of rows.entries()) picked.set(matrix.subarray(row * features, (row + 1) * features), i * features)
  return { matrix: picked, features, truth: pickTruth(truth, rows) }
}

function allRows({ truth }: Table): Uint32Array {
  return Uint32Array.from({ length: countRows(truth) }, (_, row) => row)
}

/** The winner of the competition has fewer rows than the fit on all of them, which may take more iterations. */
const LAST_ITERATIONS = 2

function refitLinear(table: Table, penalty: number, iterations: number, { checkpoint }: TabularOptions): FittedLinear {
  const { matrix, features, truth } = table
  const all = allRows(table)
  const scaling = measureScaling(matrix, features, all)
  const settings = { penalty, iterations: iterations * LAST_ITERATIONS, checkpoint }
  return { scaling, weights: fitLinear(scaleRows(matrix, scaling, all), truth, settings) }
}

function refitTrees(table: Table, settings: BoostSettings, { checkpoint }: TabularOptions): FittedTrees {
  const binned = binRows(table.matrix, table.features)
  return { binned, boosted: boostTrees(binned, table.truth, allRows(table), settings, { checkpoint }) }
}

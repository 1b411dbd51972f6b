import { detectLabelTask } from '../../../../model/classifier/label-task.ts'
import { trainClassifier } from '../../../../model/classifier/train-classifier.ts'
import { detectTable } from '../../../../model/tabular/fit/detect-table.ts'
import { fitTable } from '../../../../model/tabular/fit/fit-table.ts'
import { sha256, type Json } from '../../../../kernel/json/json.ts'
import { isSameOutput } from '../../../rows/equality/same-output.ts'
import { memberOf } from '../../../runtime/composite/places.ts'
import type { LeafRecipe } from '../../../runtime/composite/composite-recipe.ts'
import { chooseAbstention } from '../../verifier/abstention.ts'
import { isUsable, type JudgedProgram, type ProgramSearch } from '../judge-round.ts'
import { searchPrograms } from '../search-programs.ts'
import { HOLD_BACK_FROM } from '../searched-rows.ts'
import { shareOf, type LeafFit, type LeafOutcome, type LeafTask } from './leaf-fit.ts'

/** Bounds and hooks of the fits of one composite. */
export interface LeafBounds {
  readonly search: Omit<ProgramSearch, 'equality' | 'negatives' | 'workBudget'>
  /** Share of the usual bounds of a training. */
  readonly trainingShare: number
  readonly checkpoint: () => void
}

/** Share of the learners' usual bounds of work that the fit of a table uses, as for whole tasks. */
const TABULAR_SHARE = 0.2
const SEED = 0

/**
 * Fits a leaf with the cheapest kind that proves itself: a program that is right on every row, else the kind with the most
 * right answers on rows outside its fit; of equal ones the cheapest.
 */
export function fitLeaf(task: LeafTask, bounds: LeafBounds, workBudget: number): LeafOutcome {
  if (task.rows.length === 0) return { ...NOTHING, fit: NEVER_ASKED, reason: '' }
  const program = fitProgram(task, bounds, workBudget)
  if (program.fit?.isProven === true) return program
  const learned = fitLearners(task, bounds)
  const fits = [program.fit, ...learned.fits].filter((fit) => fit !== null)
  const best = fits.reduce<LeafFit | null>(
    (leader, fit) => (leader === null || shareOf(fit) > shareOf(leader) ? fit : leader),
    null,
  )
  return {
    fit: best,
    reason: `${program.reason}; ${learned.reason}`,
    searchSteps: program.searchSteps,
    trainingSteps: learned.steps,
    isCutShort: program.isCutShort,
  }
}

const NOTHING = { searchSteps: 0, trainingSteps: 0, isCutShort: false } as const

/** An optional value that no row has is never asked for. */
const NEVER_ASKED: LeafFit = {
  leaf: {
    node: 'leaf',
    kind: 'program',
    by: 'program',
    reads: [],
    program: { language: 'svc-recipe-1', body: { op: 'literal', value: null } },
  },
  weights: null,
  evidence: { rows: 0, right: 0 },
  isProven: true,
}

/** Searches a program for a leaf. `reads` are the pointers of leaves whose values are in the inputs of the task. */
export function fitProgram(
  { rows, equality }: LeafTask,
  { search }: LeafBounds,
  workBudget: number,
  reads: readonly string[] = [],
): LeafOutcome {
  const found = searchPrograms(rows, { ...search, equality, negatives: [], workBudget })
  const best = found.programs.find(isUsable)
  const cost = { searchSteps: found.searchSteps, trainingSteps: 0, isCutShort: found.isCutShort }
  if (best === undefined) {
    const isListing = found.programs.some(({ isMemorising }) => isMemorising)
    return { ...cost, fit: null, reason: isListing ? 'programs list the examples' : 'no program found' }
  }
  const evidence = evidenceOf(best, found.programs)
  const isProven = best.trainRight === best.trainRows && evidence.right === evidence.rows
  const leaf: LeafRecipe = { node: 'leaf', kind: 'program', by: 'program', reads: [...reads], program: best.recipe }
  return { ...cost, fit: { leaf, weights: null, evidence, isProven }, reason: '' }
}

/**
 * Returns what is known of a program on rows that its search did not see: few rows are all seen, and there its rank decides.
 * A program of the last search, which saw all rows, is taken to be as good as the best of those before it.
 */
function evidenceOf(best: JudgedProgram, programs: readonly JudgedProgram[]): LeafFit['evidence'] {
  if (best.trainRows < HOLD_BACK_FROM) return { rows: best.trainRows, right: best.trainRight }
  if (best.heldBack !== null) return best.heldBack
  const earlier = programs.flatMap(({ heldBack, isMemorising }) => (isMemorising ? [] : (heldBack ?? [])))
  return earlier.reduce((most, one) => (one.right > most.right ? one : most), { rows: best.trainRows, right: 0 })
}

interface Learned {
  readonly fits: readonly LeafFit[]
  readonly reason: string
  readonly steps: number
}

/** Fits the learners that the rows of a leaf allow. */
function fitLearners(task: LeafTask, bounds: LeafBounds): Learned {
  const classifier = fitClassifier(task, bounds)
  const tabular = fitTabular(task, bounds)
  return {
    fits: [...classifier.fits, ...tabular.fits],
    reason: [classifier.reason, tabular.reason].filter((reason) => reason !== '').join('; '),
    steps: classifier.steps + tabular.steps,
  }
}

function fitClassifier({ place, rows }: LeafTask, { search, trainingShare, checkpoint }: LeafBounds): Learned {
  const label = detectLabelTask(rows.map(({ output }) => output))
  if (!label.applicable) return { fits: [], reason: `no label: ${label.reason}`, steps: 0 }
  const trained = trainClassifier(rows, { contenders: search.k, share: trainingShare, checkpoint })
  if (trained === null) return { fits: [], reason: 'no label', steps: 0 }
  const { recipe, weights, innerPredictions, trainingSteps } = trained
  const { threshold } = chooseAbstention(innerPredictions)
  const leaf: LeafRecipe = {
    node: 'leaf',
    kind: 'label',
    by: 'classifier',
    reads: [],
    classifier: { ...recipe, threshold },
    weights: weightsOf(place, weights),
  }
  return { fits: [{ leaf, weights, ...learnedFrom(innerPredictions) }], reason: '', steps: trainingSteps }
}

function fitTabular({ place, rows, equality }: LeafTask, { trainingShare, checkpoint }: LeafBounds): Learned {
  const table = detectTable(rows)
  if (!table.applicable) return { fits: [], reason: `no table: ${table.reason}`, steps: 0 }
  const share = TABULAR_SHARE * trainingShare
  const isSame = (output: Json, expected: Json): boolean => isSameOutput(equality, output, expected)
  const fitted = fitTable(rows, table.targets, { seed: SEED, share, checkpoint, isSame })
  if ('reason' in fitted) return { fits: [], reason: `no table: ${fitted.reason}`, steps: 0 }
  const { recipe, weights, heldBack, steps } = fitted
  if (recipe.target.kind === 'number' && !heldBack.some(({ correct }) => correct)) {
    return { fits: [], reason: 'no table: a model of numbers is right on no held-back row', steps }
  }
  const { target } = recipe
  const settled = target.kind === 'number' ? target : { ...target, threshold: chooseAbstention(heldBack).threshold }
  const leaf: LeafRecipe = {
    node: 'leaf',
    kind: target.kind,
    by: 'tabular',
    reads: [],
    tabular: { ...recipe, target: settled },
    weights: weightsOf(place, weights),
  }
  return { fits: [{ leaf, weights, ...learnedFrom(heldBack) }], reason: '', steps }
}

function weightsOf(place: LeafTask['place'], weights: Uint8Array) {
  return { member: memberOf(place), sha256: sha256(weights), size_bytes: weights.byteLength }
}

function learnedFrom(predictions: readonly { readonly correct: boolean }[]): Pick<LeafFit, 'evidence' | 'isProven'> {
  const right = predictions.filter(({ correct }) => correct).length
  return { evidence: { rows: predictions.length, right }, isProven: false }
}

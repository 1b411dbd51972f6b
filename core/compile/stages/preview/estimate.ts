import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { notMeasured, type Figure } from '../../../kernel/wire/figure.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import { planTraining } from '../../../model/classifier/train-classifier.ts'
import { detectTable } from '../../../model/tabular/fit/detect-table.ts'
import { planLeaves, type PlannedLeaves } from '../sample/composite/plan-leaves.ts'
import { countFolds } from '../../rows/split/plan-folds.ts'
import { estimateTeacher, type TeacherEstimate } from '../teacher/estimate-teacher.ts'
import type { TeacherIdentity } from '../teacher/teacher-types.ts'
import { LORA_SKIP_REASONS } from '../lora/decide-fit.ts'
import { estimateFit, type AdapterPlan } from '../lora/estimate-fit.ts'
import { countSearches } from '../sample/search-programs.ts'

/** Facts of a compile before it runs. */
export interface EstimateInput {
  readonly task: string
  readonly rowCount: number
  /** Some of the rows, from which applicable kinds and text lengths are estimated; may be empty. */
  readonly sampleRows: readonly { readonly input: Json; readonly output: Json }[]
  readonly k: number
  /** Rows that a compile uses at most: the limit in force. */
  readonly rowsUsedPerCompile: number
  /** The operator's frontier model, which is asked for what the search cannot find; absent when none is configured. */
  readonly teacher?: TeacherIdentity | undefined
  /** Inputs without an output; 0 when absent. */
  readonly unlabelled?: number
  /** The adapter that may be fitted; absent when it is disabled or its base is not installed. */
  readonly adapter?: AdapterPlan | undefined
}

/** A range. */
export interface Range {
  readonly low: number
  readonly expected: number
  readonly high: number
}

/** One step of the plan: its work, number of runs, and cost. */
export interface EstimateStep {
  readonly stage: string
  readonly kind: string | null
  readonly runs: number
  readonly seconds: Range
  readonly usd: Range
  readonly note: string
}

/** The plan of a compile with its expected time and price. */
export interface CompileEstimate {
  readonly estimated_usd: Range
  readonly estimated_minutes: Range
  readonly plan: readonly EstimateStep[]
  readonly inputs: {
    readonly task_chars: number
    readonly rows: number
    readonly rows_used: number
    readonly split_mode: string
    readonly kinds: readonly string[]
    readonly k: number
    readonly provider_tokens: number
  }
  readonly method: 'planned_work'
  /** Whether the times were measured: they are computed from the plan. */
  readonly basis: Figure
}

/**
 * Rates by which planned work becomes time, in seconds on a machine with two cores (bench/compile/intents.ts prints the
 * training figures). They are no measurements of this machine. A search ends by its work budget, so its high end holds for any task.
 */
const RATES = {
  search: { low: 0.01, expected: 0.15, high: 4 },
  /** Folds that are searched beside one another. */
  searchesAtOnce: 2,
  /** One multiply-add of a training. */
  multiplyAddNs: 4,
  featuresPerChar: 3,
  /** One fit of a tabular model, which its work bounds end. */
  tabular: { base: 0.1, perRow: 0.001, most: 4 },
  verifyBase: 0.3,
  verifyPerRow: 0.0005,
  bundle: { low: 0.05, expected: 0.1, high: 0.5 },
  sign: { low: 0.05, expected: 0.1, high: 0.5 },
} as const

const UNKNOWN_TEXT_CHARS = 100
const UNKNOWN_LABELS = 5

const FREE: Range = { low: 0, expected: 0, high: 0 }

function scale(range: Range, times: number): Range {
  return { low: range.low * times, expected: range.expected * times, high: range.high * times }
}

function around(seconds: number): Range {
  return { low: seconds / 3, expected: seconds, high: seconds * 4 }
}

function round(range: Range, digits: number): Range {
  const cut = (value: number): number => Number(value.toFixed(digits))
  return { low: cut(range.low), expected: cut(range.expected), high: cut(range.high) }
}

function programStep(rows: number): EstimateStep {
  const searches = countSearches(rows)
  const full = { ...scale(RATES.search, searches), low: RATES.search.low, high: RATES.search.high }
  const number = countFolds(rows)
  const folds = scale(full, number / RATES.searchesAtOnce)
  return {
    stage: 'k-sample',
    kind: 'program',
    runs: searches * (number + 1),
    seconds: { low: full.low + folds.low, expected: full.expected + folds.expected, high: full.high + folds.high },
    usd: FREE,
    note: `search over all rows, then one without each of ${number} folds; each bounded by its work budget`,
  }
}

function classifierStep(input: EstimateInput, rows: number, labels: number): EstimateStep {
  const chars = input.sampleRows.reduce((sum, row) => sum + canonicalJson(row.input).length, 0)
  const textChars = input.sampleRows.length === 0 ? UNKNOWN_TEXT_CHARS : chars / input.sampleRows.length
  const plan = planTraining(rows, labels, textChars * RATES.featuresPerChar, input.k)
  const once = plan.work * RATES.multiplyAddNs * 1e-9
  const folds = countFolds(rows)
  return {
    stage: 'k-sample',
    kind: 'classifier',
    runs: folds + 1,
    seconds: around(once * (1 + folds / RATES.searchesAtOnce)),
    usd: FREE,
    note: `${plan.contenders} settings on ${plan.folds} inner folds, ${labels} labels${input.sampleRows.length === 0 ? ' assumed' : ''}`,
  }
}

/** The step of a tabular model; null when the rows that are known are no table. */
function tabularStep({ sampleRows }: EstimateInput, rows: number): EstimateStep | null {
  const task = detectTable(sampleRows)
  if (sampleRows.length === 0 || !task.applicable) return null
  const folds = countFolds(rows)
  const { base, perRow, most } = RATES.tabular
  const once = Math.min(most, base + rows * perRow)
  return {
    stage: 'k-sample',
    kind: 'tabular',
    runs: folds + 1,
    seconds: around(once * (1 + folds / RATES.searchesAtOnce)),
    usd: FREE,
    note: 'linear and boosted tree learners over the members of the inputs, blended on inner folds',
  }
}

/** The step of a composite, whose leaves share the work budget of one search. It is left out where a program does the whole task. */
function compositeStep(input: EstimateInput, rows: number, { leaves, labels }: PlannedLeaves): EstimateStep {
  const folds = countFolds(rows)
  const search = scale(RATES.search, 1 + folds / RATES.searchesAtOnce)
  const trained = labels.map((count) => classifierStep(input, rows, count).seconds)
  const sum = (bound: 'expected' | 'high'): number => trained.reduce((total, one) => total + one[bound], search[bound])
  return {
    stage: 'k-sample',
    kind: 'composite',
    runs: leaves * (folds + 1),
    seconds: { low: 0, expected: sum('expected'), high: sum('high') },
    usd: FREE,
    note: `${leaves} parts of the output, each by a recipe of its own; only where no program does the whole task`,
  }
}

function labelCount(input: EstimateInput): number | null {
  if (input.sampleRows.length === 0) return UNKNOWN_LABELS
  const task = detectLabelTask(input.sampleRows.map(({ output }) => output))
  return task.applicable ? task.labels.length : null
}

function teacherStep(teacher: TeacherEstimate): EstimateStep {
  return {
    stage: 'k-sample',
    kind: 'teacher',
    runs: teacher.calls,
    seconds: teacher.seconds,
    usd: round(teacher.usd, 4),
    note: `${teacher.tokens} tokens of a frontier model, for programs where the search finds none and for labels; never more than the budget`,
  }
}

function adapterStep({ adapter, sampleRows }: EstimateInput, rows: number): EstimateStep {
  const skipped = { runs: 0, seconds: FREE }
  const fit =
    adapter === undefined
      ? { ...skipped, note: `skipped: ${LORA_SKIP_REASONS.no_base_model}` }
      : (estimateFit(adapter, rows, sampleRows) ?? { ...skipped, note: `skipped: ${LORA_SKIP_REASONS.too_few_rows}` })
  return { stage: 'lora-fit', kind: 'lora', usd: FREE, ...fit }
}

/**
 * Estimates time and cost of a compile from its plan. Only a frontier model costs money, if the operator has configured
 * one.
 */
export function estimateCompile(input: EstimateInput): CompileEstimate {
  const rows = Math.min(input.rowCount, input.rowsUsedPerCompile)
  const labels = labelCount(input)
  const tabular = tabularStep(input, rows)
  const leaves = planLeaves(
    input.sampleRows.map(({ output }) => output),
    rows,
  )
  const step = (stage: string, seconds: Range, note: string): EstimateStep => ({
    stage,
    kind: null,
    runs: 1,
    seconds,
    usd: FREE,
    note,
  })
  const teacher =
    input.teacher === undefined
      ? null
      : estimateTeacher({ ...input, unlabelled: input.unlabelled ?? 0, teacher: input.teacher })
  const steps = [
    programStep(rows),
    ...(labels === null ? [] : [classifierStep(input, rows, labels)]),
    ...(tabular === null ? [] : [tabular]),
    ...(leaves === null ? [] : [compositeStep(input, rows, leaves)]),
    ...(teacher === null ? [] : [teacherStep(teacher)]),
    step('verify', around(RATES.verifyBase + rows * RATES.verifyPerRow), 'verifier, answers of the folds, K-score'),
    adapterStep(input, rows),
    step('bundle', RATES.bundle, 'members, manifest, archive'),
    step('sign', RATES.sign, 'receipt chain and signatures'),
  ]
  const total = steps.reduce<Range>(
    (sum, { seconds }) => ({
      low: sum.low + seconds.low,
      expected: sum.expected + seconds.expected,
      high: sum.high + seconds.high,
    }),
    FREE,
  )
  return {
    estimated_usd: teacher === null ? FREE : round(teacher.usd, 4),
    estimated_minutes: round(scale(total, 1 / 60), 4),
    plan: steps.map((one) => ({ ...one, seconds: round(one.seconds, 3) })),
    inputs: {
      task_chars: input.task.length,
      rows: input.rowCount,
      rows_used: rows,
      split_mode: 'cross_fit',
      kinds: [
        'program',
        ...(labels === null ? [] : ['classifier']),
        ...(tabular === null ? [] : ['tabular']),
        ...(leaves === null ? [] : ['composite']),
      ],
      k: input.k,
      provider_tokens: teacher?.tokens ?? 0,
    },
    method: 'planned_work',
    basis: notMeasured('times follow from planned work and rates of a machine with two cores, not from your runs'),
  }
}

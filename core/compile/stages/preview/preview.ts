import type { Interval } from '../../../kernel/statistics/wilson-interval.ts'
import { factsOf } from '../../rows/intake/example.ts'
import type { DomainError } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { measured, notMeasured, valueOf, type Figure } from '../../../kernel/wire/figure.ts'
import { describeKScore } from '../scoring/k-score.ts'
import type { KScoreEnvelope } from '../scoring/score-types.ts'
import { wilsonInterval } from '../../../kernel/statistics/wilson-interval.ts'
import type { RecipeKind, Row } from '../../rows/task.ts'
import type { Split } from '../../rows/split/split-report.ts'
import { startCpuTime } from '../clock/cpu-time.ts'
import { describeNotEvaluated } from '../scoring/not-evaluated.ts'
import { sampleCandidates } from '../sample/sample.ts'
import type { StageHooks } from '../stage-types.ts'
import type { VerifyOutput } from '../judge/verify-types.ts'
import { verifyCandidates } from '../judge/verify.ts'

/** Input of a compile's dry run, which stores and charges nothing. */
export interface PreviewInput {
  readonly task: string
  /** Rows with distinct inputs, as `selectRows` gives them. */
  readonly rows: readonly Row[]
  /** Lines of the caller's seeds that could not be read; becomes the warning `partial_parse`. */
  readonly skippedRows?: number
  readonly floor: number
  /** Processor milliseconds that the whole dry run may take. */
  readonly budgetMs: number
}

/** One gate of a preview, marked if a dry run cannot evaluate it. */
export interface PreviewGate {
  readonly name: string
  readonly status: 'ok' | 'failed' | 'not_run'
  readonly detail: string
}

/** Something the caller should know. */
export interface PreviewWarning {
  readonly code: 'partial_parse' | 'few_examples' | 'not_evaluated' | 'below_gate' | 'partial_pass'
  readonly message: string
}

/** Expected result of compiling these rows, in the field names of the public format. */
export interface PreviewOutput {
  readonly k_score: number
  readonly accuracy: number
  readonly interval: Interval
  readonly n: number
  readonly split_mode: 'cross_fit' | 'test_rows'
  /** Rows outside the first fold, and in it; or the rows beside the test rows, and these. */
  readonly train_rows: readonly { readonly input: Json; readonly output: Json }[]
  readonly holdout_rows: readonly { readonly input: Json; readonly output: Json }[]
  readonly train_count: number
  readonly holdout_count: number
  readonly production_ready: {
    readonly ok: boolean
    readonly gates: readonly PreviewGate[]
    readonly reasons: readonly string[]
  }
  readonly gate_reasons: readonly string[]
  readonly accepted: boolean
  readonly recipe_source: RecipeKind | null
  readonly warnings: readonly PreviewWarning[]
  /** The figures above with their basis. */
  readonly figures: { readonly k_score: Figure; readonly accuracy: Figure; readonly quality: Figure }
  readonly synth: { readonly quality_score: number; readonly strategy: string; readonly attempts: number }
  readonly failing_rows: readonly string[]
}

const SHOWN_ROWS = 3
/** A dry run fits no adapter. */
const STRATEGIES: Readonly<Record<RecipeKind, string>> = {
  program: 'programming_by_example',
  classifier: 'linear_classifier',
  tabular: 'tabular_model',
  composite: 'typed_leaves',
  lora: 'adapter',
}
const FEW_EXAMPLES = 3
const SAMPLES = 3
/** Search steps of a dry run; a compile takes more. */
const PREVIEW_WORK = 600_000
/** Parts of the budget that one search and all of them may take, and of the usual bounds of a training. */
const SEARCH_SHARE = 0.5
const ALL_SEARCHES_SHARE = 0.7
const TRAINING_SHARE = 0.2
const MS_PER_LOOK = 10
const READY_K_SCORE = 0.85

function listGates({ split, kScore, gate }: VerifyOutput): readonly PreviewGate[] {
  const { provenance } = split
  const clean = provenance.leakage_report.near_duplicate_overlap === 0
  const needed = Math.max(READY_K_SCORE, gate.floor)
  const score = kScore?.composite ?? 0
  const notRun = (name: string): PreviewGate => ({ name, status: 'not_run', detail: 'a dry run makes no archive' })
  return [
    { name: 'seed_provenance', status: 'ok', detail: `${provenance.source_seed_count} rows given by the caller` },
    { name: 'k_score', status: score >= needed ? 'ok' : 'failed', detail: `K-score ${score}, needed ${needed}` },
    {
      name: 'holdout_split',
      status: provenance.production_ready ? 'ok' : 'failed',
      detail: `${countFitted(split)} rows to fit on and ${provenance.holdout_count} held-out rows (${split.mode.replaceAll('_', ' ')}), needed ${provenance.min_train} and ${provenance.min_holdout}${clean ? '' : ', near-duplicates in several folds'}`,
    },
    notRun('drift'),
    notRun('durability'),
    notRun('executable_bundle'),
    notRun('eval_parity'),
    { name: 'adapter', status: 'not_run', detail: 'a dry run fits no adapter' },
  ]
}

/** Rows that the smallest fit of an evaluation has. */
function countFitted({ train, folds }: Split): number {
  return train.length - Math.max(0, ...(folds ?? []).map(({ length }) => length))
}

function listWarnings(input: PreviewInput, verdict: VerifyOutput): readonly PreviewWarning[] {
  const accuracy = verdict.kScore?.accuracy ?? 0
  const skipped = input.skippedRows ?? 0
  const warnings: (PreviewWarning | false)[] = [
    skipped > 0 && { code: 'partial_parse', message: `${skipped} lines could not be read and were left out` },
    input.rows.length < FEW_EXAMPLES && {
      code: 'few_examples',
      message: `${input.rows.length} examples tell little; give at least ${FEW_EXAMPLES}, better 20 or more`,
    },
    ...verdict.notEvaluated.map((open) => ({
      code: 'not_evaluated' as const,
      message: `${describeNotEvaluated(open)} within the limits of a dry run; they are not scored`,
    })),
    !verdict.gate.passed && { code: 'below_gate', message: verdict.gate.reason ?? 'below the floor' },
    accuracy > 0 &&
      accuracy < 1 && {
        code: 'partial_pass',
        message: `${verdict.gate.failing_count} of ${verdict.kScore?.n ?? 0} held-out rows are wrong`,
      },
  ]
  return warnings.filter((warning) => warning !== false)
}

/** Returns hooks that end a stage after this much processor time of the thread. */
function endAt(budgetMs: number, hooks: StageHooks): StageHooks {
  const cpuMs = startCpuTime()
  let nextLook = 0
  return {
    ...hooks,
    isCancelled() {
      // Called for every row; the clock of the thread is a system call.
      const now = performance.now()
      if (now >= nextLook) nextLook = now + MS_PER_LOOK
      else return hooks.isCancelled?.() === true
      if (cpuMs() >= budgetMs) throw tooLong()
      return hooks.isCancelled?.() === true
    },
  }
}

function tooLong(): DomainError {
  return COMPILE_ERRORS.preview_timeout('the preview took too long; compile the examples instead')
}

const NO_RECIPE = 'no recipe was found'

/** K-score and accuracy as figures. */
function figuresOf(kScore: KScoreEnvelope | null): { readonly k_score: Figure; readonly accuracy: Figure } {
  const described = kScore === null ? null : describeKScore(kScore)
  if (described === null || described.spec !== 'svc-k-score-2') {
    return { k_score: notMeasured(NO_RECIPE), accuracy: notMeasured(NO_RECIPE) }
  }
  return { k_score: described.composite, accuracy: described.accuracy }
}

/**
 * Quality of the best candidate: the mean, by weight, of what was measured of right answers, of wrong outputs that the
 * checks refuse, and of changed inputs that keep their answer. A part that was not measured is left out of the mean.
 */
function qualityOf({ kinds, chosen, verifier: { soundness } }: VerifyOutput): Figure {
  const best = kinds.find(({ sampleId }) => sampleId === chosen?.sampleId)
  if (best === undefined) return notMeasured(NO_RECIPE)
  const { evaluation, metamorphic } = best
  const parts = [
    { weight: 0.5, share: evaluation.accuracy, n: evaluation.n },
    { weight: 0.4, share: 1 - soundness.false_accept_rate, n: soundness.mutants },
    { weight: 0.1, share: (metamorphic?.passed ?? 0) / (metamorphic?.trials ?? 1), n: metamorphic?.trials ?? 0 },
  ].filter(({ n }) => n > 0)
  const weight = parts.reduce((sum, part) => sum + part.weight, 0)
  const value = parts.reduce((sum, part) => sum + part.weight * part.share, 0) / weight
  return measured(
    Number(value.toFixed(4)),
    evaluation.n,
    'right answers 0.5, refused wrong outputs 0.4, properties 0.1',
  )
}

/** The two sides of a split, or of its first fold. */
function firstSides({ train, holdout, folds }: Split): Pick<Split, 'train' | 'holdout'> {
  const first = folds?.[0]
  if (first === undefined) return { train, holdout }
  const held = new Set(first)
  return { train: train.filter((place) => !held.has(place)), holdout: first }
}

/**
 * Splits, fits and scores exactly as a compile does, with a smaller search and training. Rows without time for their
 * evaluation are not scored, and named in a warning. Stores nothing. Throws as `sampleCandidates` does, and
 * `preview_timeout` when its processor time is used up.
 */
export function previewCompile(input: PreviewInput, given: StageHooks = {}): PreviewOutput {
  const hooks = endAt(input.budgetMs, given)
  const { task, rows } = input
  const common = { task, rows, negatives: [], facts: factsOf(rows) }
  const sample = sampleCandidates(
    {
      ...common,
      k: SAMPLES,
      budgetMs: input.budgetMs * SEARCH_SHARE,
      allSearchesMs: input.budgetMs * ALL_SEARCHES_SHARE,
      workBudget: PREVIEW_WORK,
      trainingShare: TRAINING_SHARE,
    },
    hooks,
  )
  const verdict = verifyCandidates({ ...common, sample, floor: input.floor, partial: true }, hooks)
  const show = (places: readonly number[]) =>
    places
      .slice(0, SHOWN_ROWS)
      .flatMap((place) => rows[place] ?? [])
      .map((row) => ({ input: row.input, output: row.output }))
  const gates = listGates(verdict)
  const reasons = gates.filter(({ status }) => status === 'failed').map(({ name, detail }) => `${name}: ${detail}`)
  const { split, kScore, gate, chosen } = verdict
  const sides = firstSides(split)
  const isCutShort = kScore === null && (sample.cutShort ?? []).length > 0
  if (isCutShort || kScore?.n === 0) throw tooLong()
  // A score of a part of the rows is not the score that a compile would be gated by.
  const open = verdict.notEvaluated.map((one) => `${describeNotEvaluated(one)} within the limits of a dry run`)
  const quality = qualityOf(verdict)
  return {
    k_score: kScore?.composite ?? 0,
    accuracy: kScore?.accuracy ?? 0,
    interval: kScore?.interval ?? wilsonInterval(0, split.holdout.length),
    n: kScore?.n ?? split.holdout.length,
    split_mode: split.mode === 'test_rows' ? 'test_rows' : 'cross_fit',
    train_rows: show(sides.train),
    holdout_rows: show(sides.holdout),
    train_count: sides.train.length,
    holdout_count: sides.holdout.length,
    production_ready: { ok: reasons.length === 0, gates, reasons },
    gate_reasons: [...(gate.reason === null ? [] : [gate.reason]), ...open],
    accepted: gate.passed && open.length === 0,
    recipe_source: chosen?.kind ?? null,
    warnings: listWarnings(input, verdict),
    synth: {
      quality_score: valueOf(quality) ?? 0,
      strategy: chosen === null ? 'none' : STRATEGIES[chosen.kind],
      attempts: verdict.samples.length,
    },
    figures: { ...figuresOf(kScore), quality },
    failing_rows: gate.failing_rows.map(({ id }) => id),
  }
}

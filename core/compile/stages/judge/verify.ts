import { notMeasured } from '../../../kernel/wire/figure.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import { answerOf, evaluate } from '../scoring/evaluate.ts'
import { evaluateFolds } from '../scoring/evaluate-folds.ts'
import { computeKScore } from '../scoring/k-score.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { RowResult } from '../scoring/score-types.ts'
import { parseComposite } from '../../runtime/composite/composite-recipe.ts'
import { mayShip } from '../lora/lora-options.ts'
import { assertNoLeakage } from '../../rows/split/leakage.ts'
import { keptRows } from '../../rows/split/kept-rows.ts'
import { hashRows } from '../../rows/split/row-hashes.ts'
import type { Split } from '../../rows/split/split-report.ts'
import type { RecipeKind, Row } from '../../rows/task.ts'
import { chooseAbstention } from '../verifier/abstention.ts'
import { checkOutput } from '../verifier/check-output.ts'
import { tryMetamorphic } from '../verifier/metamorphic.ts'
import { crossFitVerifier, withAbstention, type CrossFittedVerifier } from '../verifier/synthesize-verifier.ts'
import type { Verifier } from '../verifier/verifier-types.ts'
import { openCandidate, sizeOf } from '../candidate.ts'
import { certifyResults, settleDoubt } from './certify-results.ts'
import { chooseKind } from './choose-kind.ts'
import { judgeGate } from './gate.ts'
import { missesOf } from './number-misses.ts'
import { markOutdone } from './outdone.ts'
import { explainRows } from './rows/explain-rows.ts'
import { undecidedOf } from './undecided.ts'
import { negativesApartFrom } from '../negatives-apart.ts'
import { taskEquality } from '../../rows/equality/task-equality.ts'
import { tolerancesOf } from '../../rows/equality/tolerance.ts'
import {
  describeNotEvaluated,
  evaluationIncomplete,
  findNotEvaluated,
  searchIncomplete,
} from '../scoring/not-evaluated.ts'
import { isRight } from '../sample/judge-round.ts'
import { sidesOf } from '../sample/sample-part.ts'
import { startClock, type StageClock } from '../clock/stage-clock.ts'
import type { KindCandidates, SampleRecord, StageHooks } from '../stage-types.ts'
import type { ChosenRecipe, EvalCase, KindResult, VerifyInput, VerifyOutput } from './verify-types.ts'

/** Train rows whose answers the verifier looks at, per sample. */
const VERIFIED_ROWS = 500

/** A split with its rows, and what judges answers on them: made from its train rows alone. */
interface Bench extends CrossFittedVerifier {
  readonly split: Split
  readonly train: readonly Row[]
  readonly evaluated: readonly Row[]
  readonly equality: Equality
}

/** Returns the split that scores a kind: what a teacher saw is scored by the fifth that it did not see. */
function splitOf({ split, apart }: VerifyInput['sample'], { folds }: KindCandidates): Split {
  if (folds !== null || split.mode !== 'cross_fit') return split
  if (apart === null || apart === undefined) throw COMPILE_ERRORS.compile_failed('no rows were held out for a kind')
  return apart
}

/** Opens a split for judging. Throws when its rows are not those that were split, or leak. */
function openBench(input: VerifyInput, split: Split): Bench {
  const rowsOf = (places: readonly number[]): readonly Row[] => places.flatMap((place) => input.rows[place] ?? [])
  const train = rowsOf(split.train)
  const evaluated = rowsOf(split.holdout)
  if (hashRows(train) !== split.provenance.train_hash || hashRows(evaluated) !== split.provenance.holdout_hash) {
    throw COMPILE_ERRORS.compile_failed('the rows are not those that were split')
  }
  const { held } = sidesOf(split)
  if (held.length > 0) assertNoLeakage(train, evaluated)
  const classifier = input.sample.kinds.find(({ kind }) => kind === 'classifier')
  const { verifier, checksFor } = crossFitVerifier(train, {
    negatives: negativesApartFrom(input.negatives, rowsOf(held)),
    abstention: classifier === undefined ? null : chooseAbstention(classifier.innerPredictions),
    folds: split.folds ?? null,
    hidesInputs: input.rowsForm === 'digests',
  })
  const whole = { checks: verifier.checks, inputs: verifier.inputs.checks }
  const isOwn = split === input.sample.split
  return {
    split,
    train,
    evaluated,
    verifier,
    // Rows that were learned from are judged by the checks of the other folds, held-out rows by all.
    checksFor: held.length > 0 ? () => whole : checksFor,
    equality:
      (isOwn ? input.sample.equality : undefined) ??
      taskEquality(input.rows, split, tolerancesOf(input.sample.equality)),
  }
}

function judgeKind(kind: KindCandidates, bench: Bench, floor: number): KindResult[] {
  const winner = kind.recipes[0]
  if (winner === undefined) return []
  const { verifier, equality, evaluated, train, checksFor } = bench
  const runner = openCandidate(winner.data)
  const shape = winner.data.kind === 'composite' ? { shape: parseComposite(winner.data.recipe).shape } : {}
  const options = { equality, checksFor, ...shape }
  const evaluation =
    kind.folds === null ? evaluate(runner, evaluated, options) : evaluateFolds(kind.folds, evaluated, runner, options)
  return [
    {
      kind: kind.kind,
      scoring: bench.split.mode,
      sampleId: winner.sampleId,
      evaluation,
      kScore: computeKScore(evaluation, { sizeBytes: sizeOf(winner.data), floor }),
      innerEvidence: kind.innerEvidence,
      metamorphic: tryMetamorphic(runner, verifier.metamorphic, train),
    },
  ]
}

/** Fills in how many answers on train rows the verifier accepts, for every sample that has a recipe. */
function verifySamples(
  input: VerifyInput,
  train: readonly Row[],
  verifier: Verifier,
  clock: StageClock,
): readonly SampleRecord[] {
  const data = new Map(
    input.sample.kinds.flatMap((kind) => kind.recipes.map((recipe) => [recipe.sampleId, recipe.data])),
  )
  const rows = train.slice(0, VERIFIED_ROWS)
  return input.sample.samples.map((sample) => {
    const recipe = data.get(sample.id)
    if (recipe === undefined) return sample
    clock.checkpoint()
    const runner = openCandidate(recipe)
    const passed = rows.filter((row) => {
      const answer = answerOf(runner, row.input)
      return answer.error === null && !answer.abstained && checkOutput(verifier, row.input, answer.output).pass
    }).length
    return { ...sample, verdict: { ...sample.verdict, verified_rows: rows.length, verified_passed: passed } }
  })
}

function toEvals({ evaluated, split }: Bench, results: readonly RowResult[]): readonly EvalCase[] {
  const byId = new Map(results.map((result) => [result.id, result]))
  const foldOf = new Map(split.folds?.flatMap((fold, number) => fold.map((place) => [place, number] as const)))
  return evaluated.flatMap((row, place) => {
    const result = byId.get(row.id)
    if (result === undefined) return []
    const { output, correct, abstained, confidence, leaves } = result
    const fold = foldOf.get(place) ?? null
    const ofLeaves = leaves === undefined ? {} : { leaves }
    return [
      { id: row.id, input: row.input, expected: row.output, output, correct, abstained, fold, confidence, ...ofLeaves },
    ]
  })
}

function findChosen(input: VerifyInput, best: KindResult | null): ChosenRecipe | null {
  if (best === null) return null
  const recipe = input.sample.kinds.flatMap((kind) => kind.recipes).find(({ sampleId }) => sampleId === best.sampleId)
  return recipe === undefined ? null : { kind: best.kind, sampleId: best.sampleId, data: recipe.data }
}

/** Returns true for a recipe that gets every row right that it was found on. */
function fitsAll(chosen: ChosenRecipe | null, { train, equality }: Bench): boolean {
  if (chosen === null || chosen.data.kind === 'lora') return false
  const runner = openCandidate(chosen.data)
  return train.every((row) => isRight(runner, row, equality))
}

/** Returns what the unlabelled inputs show of the recipe to ship. */
function unlabelledEvidence(
  { sample: { posterior, samples } }: VerifyInput,
  best: KindResult | null,
): Pick<VerifyOutput, 'undecided' | 'unlabelledInputs'> {
  if (posterior === undefined) return { undecided: notMeasured('no unlabelled inputs were given') }
  const { provider = 'synthesizer', settings = {} } = samples.find(({ id }) => id === best?.sampleId) ?? {}
  const undecided = undecidedOf(posterior.undecided, best === null ? null : { kind: best.kind, provider, settings })
  return { undecided, unlabelledInputs: posterior.inputs }
}

/**
 * Returns the kinds to judge. An allowed kind with unevaluated rows fails the job, unless a part of the rows is enough;
 * a kind that is not allowed is left out.
 */
function takeEvaluated({ sample, recipeKind = 'auto', partial = false }: VerifyInput, rows: readonly Row[]) {
  const open = sample.kinds.flatMap((kind) => findNotEvaluated(kind, rows) ?? [])
  const blocking = open.filter(({ kind }) => mayShip({ recipe_kind: recipeKind }, kind))
  if (blocking.length > 0 && !partial) throw evaluationIncomplete(blocking)
  const left = new Set(partial ? [] : open.map(({ kind }) => kind))
  return {
    judged: sample.kinds.filter(({ kind }) => !left.has(kind)),
    notEvaluated: open,
    notApplicable: [
      ...sample.notApplicable,
      ...open.flatMap((one) => (left.has(one.kind) ? [{ kind: one.kind, reason: describeNotEvaluated(one) }] : [])),
    ],
  }
}

/** Returns allowed kinds without a candidate because the clock ended their search. */
function findCutShort({ sample, recipeKind = 'auto' }: VerifyInput): readonly RecipeKind[] {
  return (sample.cutShort ?? []).filter(
    (kind) => mayShip({ recipe_kind: recipeKind }, kind) && !sample.kinds.some((one) => one.kind === kind),
  )
}

/**
 * Runs the stage `verify`. It synthesises the verifier from the rows to learn from and judges the answers of the folds;
 * with test rows, or the fifth that a teacher did not see, it runs the winner of each kind on these instead. Then it
 * computes the K-scores, chooses the kind to ship and decides the gate. Throws `train_holdout_leakage`; `compile_failed`
 * when rows and split do not belong together; `evaluation_incomplete` when an allowed kind has rows whose folds were not
 * finished, or when no recipe passes and the clock ended a search; `compile_cancelled`.
 */
export function verifyCandidates(input: VerifyInput, hooks: StageHooks = {}): VerifyOutput {
  const clock = startClock('verify', hooks)
  clock.report('synthesize verifier', 5)
  const main = openBench(input, input.sample.split)
  const benches = new Map([[main.split, main]])
  const benchOf = (kind: KindCandidates): Bench => {
    const split = splitOf(input.sample, kind)
    const bench = benches.get(split) ?? openBench(input, split)
    benches.set(split, bench)
    return bench
  }
  clock.checkpoint()
  const { judged, notEvaluated, notApplicable } = takeEvaluated(input, main.evaluated)
  const kinds = markOutdone(
    judged.flatMap((kind, i) => {
      clock.checkpoint()
      clock.report(`evaluate ${kind.kind}`, 20 + (40 * i) / judged.length)
      return judgeKind(kind, benchOf(kind), input.floor)
    }),
    { rows: main.train, fitsAll: (program) => fitsAll(findChosen(input, program), main) },
  )
  const best = chooseKind(
    kinds.filter(({ kind }) => mayShip({ recipe_kind: input.recipeKind ?? 'auto' }, kind)),
    (result) => missesOf(result, input.rows)?.half ?? null,
  )
  const isSearchOpen = findCutShort(input).length > 0 && best?.kScore.ships !== true
  if (isSearchOpen && input.partial !== true) throw searchIncomplete(findCutShort(input), main.evaluated)
  const winning = judged.find(({ kind }) => kind === best?.kind)
  const bench = winning === undefined ? main : benchOf(winning)
  const verifier =
    winning?.kind === 'tabular'
      ? withAbstention(bench.verifier, chooseAbstention(winning.innerPredictions))
      : bench.verifier
  clock.report('check samples', 70)
  const samples = verifySamples(input, bench.train, bench.verifier, clock)
  const gate = judgeGate({ floor: input.floor, best, rows: bench.evaluated, notApplicable, equality: bench.equality })
  const { doubt: choices = {} } = input
  const chosen = findChosen(input, best)
  const alternatives = chosen?.data.kind === 'program' ? chosen.data.alternatives : undefined
  const certificate =
    best === null
      ? null
      : certifyResults(best.evaluation.results, { choices, mode: bench.split.mode, samples, alternatives })
  clock.report('done', 100)
  return {
    spec: 'svc-verify-1',
    gate,
    chosen,
    kScore: best?.kScore ?? null,
    verifier: settleDoubt(verifier, certificate, choices),
    certificate,
    equality: bench.equality,
    ...unlabelledEvidence(input, best),
    kinds,
    notApplicable,
    notEvaluated,
    evals: best === null ? [] : toEvals(bench, best.evaluation.results),
    ...explainRows({ input, ...bench, kinds, best, chosen, passed: gate.passed }),
    samples,
    verifiedSampleIds: samples
      .filter(({ verdict }) => verdict.verified_rows !== null && verdict.verified_passed === verdict.verified_rows)
      .map(({ id }) => id),
    split: bench.split,
    form: input.rowsForm ?? 'held',
    rows: keptRows(bench.split, bench.train, input.negatives, input.sample.unlabelled ?? []),
    sampling: input.sample.sampling ?? null,
    facts: input.facts,
    teacher: input.sample.teacher,
    costs: [clock.cost({ searchSteps: 0, trainingSteps: 0 })],
  }
}

import type { Json } from '../../../kernel/json/json.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { NegativeExample } from '../../rows/intake/example.ts'
import { keptRows } from '../../rows/split/kept-rows.ts'
import type { Split } from '../../rows/split/split-report.ts'
import type { Answer } from '../scoring/evaluate.ts'
import { judgeAnswer, summarize } from '../scoring/evaluate.ts'
import { computeKScore } from '../scoring/k-score.ts'
import type { Latency } from '../scoring/score-types.ts'
import { hashOf, sizeOf } from '../candidate.ts'
import { chooseKind } from '../judge/choose-kind.ts'
import { isBetterOnCommonRows } from '../judge/common-rows.ts'
import { explainGate, judgeGate } from '../judge/gate.ts'
import { evalsOf, isDigested, type KindVerdict, type Verdict } from '../judge/verdict.ts'
import { adviseRows, type AdviceInput } from '../judge/rows/advise-rows.ts'
import { reportRows } from '../judge/rows/report-rows.ts'
import { undecidedOf } from '../judge/undecided.ts'
import { negativesApartFrom } from '../negatives-apart.ts'
import { certifyResults, isEarlierVerifier, settleDoubt } from '../judge/certify-results.ts'
import { synthesizeVerifier } from '../verifier/synthesize-verifier.ts'
import type { Verifier } from '../verifier/verifier-types.ts'
import type { AdapterEvidence } from './adapter-evidence.ts'
import type { AdapterData, SampleRecord, StageCost } from '../stage-types.ts'
import type { EvalCase, KindResult } from '../judge/verify-types.ts'
import type { Row } from '../../rows/task.ts'
import { mayShip, type CompileChoices } from './lora-options.ts'

/** The rows that an adapter is scored by, where the kinds before it were scored in another way. */
export interface ApartRows {
  readonly split: Split
  readonly train: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  /** Inputs without an output that belong to no row. */
  readonly unlabelled: readonly Json[]
}

/** A fitted adapter with its answers. */
export interface JudgeAdapterInput {
  readonly verdict: Verdict
  readonly equality: Equality
  readonly choices: Pick<CompileChoices, 'recipe_kind' | 'risk' | 'on_doubt' | 'rows'>
  readonly data: AdapterData
  /** All rows and unlabelled inputs of the compile, and the programs that get every row right. */
  readonly given: Pick<AdviceInput, 'rows' | 'unlabelled' | 'posterior'>
  /** Held-out rows, and the answers in their order. */
  readonly rows: readonly Row[]
  readonly answers: readonly Answer[]
  readonly latency: Latency
  /** The adapter's result on the rows of early stopping; null without such rows. */
  readonly innerEvidence: { readonly rows: number; readonly right: number } | null
  readonly evidence: AdapterEvidence
  readonly cost: StageCost
  /** Null when the adapter is scored as the other kinds were. */
  readonly apart: ApartRows | null
}

/** Criteria for an adapter's answers, and the other rows of the archive. */
type Judges = Pick<Verdict, 'verifier' | 'split' | 'rows'> & { readonly scoring: KindResult['scoring'] }

/** Returns the judges of the other kinds, or new ones that are made from the rows which the adapter learned from. */
function judgesOf({ verdict, apart, rows, choices }: JudgeAdapterInput): Judges {
  const { verifier, split, spec } = verdict
  if (apart === null)
    return { verifier, split, rows: verdict.rows ?? null, scoring: spec === 'svc-verdict-1' ? undefined : split.mode }
  const { mode, provenance } = apart.split
  const own = synthesizeVerifier(apart.train, {
    negatives: negativesApartFrom(apart.negatives, rows),
    abstention: null,
    hidesInputs: choices.rows === 'digests',
  })
  return {
    verifier: own,
    split: { mode, provenance },
    rows: keptRows(apart.split, apart.train, apart.negatives, apart.unlabelled),
    scoring: mode,
  }
}

const SAMPLE_ID = 'lora_1'
const NOT_PROVEN = 'The adapter is right on no more of the rows that score both'

/** Lets an adapter compete with the kinds that were judged before, and closes the gate again. */
export function judgeAdapter(input: JudgeAdapterInput): Verdict {
  const { verdict, equality, choices, data, rows, evidence } = input
  const { scoring, ...judges } = judgesOf(input)
  const result = resultOf(input, judges, scoring)
  const { evaluation, ...kind } = result
  const { results: _results, ...figures } = evaluation
  const kinds: KindVerdict[] = [...verdict.kinds, { ...kind, evaluation: figures }]
  const best = chooseKind(kinds.filter((each) => mayShip(choices, each.kind)))
  const judged: Verdict = {
    ...verdict,
    kinds,
    adapter: evidence,
    samples: [...verdict.samples, sampleOf(input, result)],
    costs: [...verdict.costs, input.cost],
  }
  const hasRival = input.apart !== null && verdict.chosen !== null
  const isProven = !hasRival || isBetterOnCommonRows(result, verdict.evals)
  if (best?.kind !== 'lora') return { ...judged, gate: { ...verdict.gate, reason: gateReason(judged) } }
  if (!isProven) {
    const reason = [gateReason(judged), NOT_PROVEN].filter((part) => part !== null).join('. ')
    return { ...judged, gate: { ...verdict.gate, reason } }
  }
  const { notApplicable } = verdict
  const gate = judgeGate({ floor: verdict.gate.floor, best: result, rows, notApplicable, equality })
  const certificate = isEarlierVerifier(judges.verifier)
    ? null
    : certifyResults(evaluation.results, { choices, mode: judges.split.mode, samples: judged.samples })
  const evals = evalsOf(judges.split, evalRows(rows, result), { form: choices.rows })
  return {
    ...judged,
    gate,
    chosen: { kind: 'lora', sampleId: SAMPLE_ID, data },
    kScore: result.kScore,
    equality,
    ...judges,
    ...undecidedByAdapter(verdict),
    certificate,
    verifier: settleDoubt(judges.verifier, certificate, choices),
    evals,
    ...explainAdapter(input, judges, result, gate.passed),
    rows: isDigested(evals) ? null : (judges.rows ?? null),
  }
}

/** The verdict of a job whose adapter was not fitted, or failed: the others as they were, and why it has no adapter. */
export function withoutAdapter(verdict: Verdict, evidence: AdapterEvidence, cost: StageCost): Verdict {
  const { reason } = evidence.report
  const judged: Verdict = {
    ...verdict,
    adapter: evidence,
    notApplicable: reason === null ? verdict.notApplicable : [...verdict.notApplicable, { kind: 'lora', reason }],
    costs: [...verdict.costs, cost],
  }
  return { ...judged, gate: { ...verdict.gate, reason: gateReason(judged) } }
}

/** Returns what the unlabelled inputs show of an adapter; nothing for a verdict without the figure. */
function undecidedByAdapter({ undecided, unlabelledInputs }: Verdict): Pick<Verdict, 'undecided'> {
  if (undecided === undefined || unlabelledInputs === undefined) return {}
  return { undecided: undecidedOf(undecided, { kind: 'lora', provider: 'trainer' }) }
}

function gateReason({ gate, chosen, kinds, notApplicable, equality }: Verdict): string | null {
  if (gate.passed) return null
  const best = kinds.find(({ sampleId }) => sampleId === chosen?.sampleId) ?? null
  return explainGate(
    { floor: gate.floor, best, misses: gate.misses ?? null, notApplicable, equality },
    gate.failing_count,
  )
}

function resultOf(
  { verdict, equality, data, rows, answers, latency, innerEvidence }: JudgeAdapterInput,
  { verifier }: Pick<Judges, 'verifier'>,
  scoring: KindResult['scoring'],
): KindResult {
  const { gate } = verdict
  const missing = { output: null, abstained: false, confidence: 0, error: 'no_candidate' } as const
  const checks = { checks: verifier.checks, inputs: inputChecksOf(verifier) }
  const results = rows.map((row, place) => judgeAnswer(row, answers[place] ?? missing, { equality, judging: checks }))
  const evaluation = summarize(results, latency)
  return {
    kind: 'lora',
    ...(scoring === undefined ? {} : { scoring }),
    sampleId: SAMPLE_ID,
    evaluation,
    kScore: computeKScore(evaluation, { sizeBytes: sizeOf(data), floor: gate.floor }),
    innerEvidence,
    metamorphic: null,
  }
}

/** A verifier that an earlier version made has no checks of inputs. */
function inputChecksOf({ inputs }: Partial<Pick<Verifier, 'inputs'>>): Verifier['checks'] {
  return inputs?.checks ?? []
}

/** Returns all rows of the compile with the adapter's results and, where the gate did not pass, what would help. */
function explainAdapter(
  { given, rows, equality, choices }: JudgeAdapterInput,
  { verifier, split }: Pick<Judges, 'verifier' | 'split'>,
  result: KindResult,
  passed: boolean,
): Required<Pick<Verdict, 'rowReport' | 'rowAdvice'>> {
  const advice = passed ? null : adviseRows({ ...given, evaluated: rows, equality, kinds: [result], best: result })
  const scored = new Set(rows.map(({ id }) => id))
  const places = given.rows.map((_, place) => place)
  const isScored = (place: number): boolean => scored.has(given.rows[place]?.id ?? '')
  return {
    rowAdvice: advice === null ? null : { to_label: advice.to_label, odd: advice.odd },
    rowReport: reportRows({
      rows: given.rows,
      split: {
        mode: split.mode,
        train: places.filter((place) => !isScored(place)),
        holdout: places.filter(isScored),
      },
      best: { kind: result.kind, results: result.evaluation.results },
      checksFor: () => verifier.checks,
      form: choices.rows,
      toLabel: advice?.inputs ?? [],
    }),
  }
}

function sampleOf({ data, evidence, innerEvidence }: JudgeAdapterInput, { kScore }: KindResult): SampleRecord {
  const { report, members } = evidence
  const settings = members?.document['hyperparameters']
  return {
    id: SAMPLE_ID,
    provider: 'trainer',
    kind: 'lora',
    rank: 1,
    cost: report.validation_loss ?? report.loss,
    search_steps: 0,
    training_steps: report.steps,
    size_bytes: kScore.size_bytes,
    recipe_hash: hashOf(data),
    settings: typeof settings === 'object' && settings !== null && !Array.isArray(settings) ? { settings } : {},
    verdict: {
      fitted_rows: report.training_rows,
      // The held-out and the inner rows are better evidence.
      fitted_right: null,
      held_back_rows: innerEvidence?.rows ?? null,
      held_back_right: innerEvidence?.right ?? null,
      verified_rows: null,
      verified_passed: null,
      negatives_violated: null,
      chosen: 'winner',
    },
  }
}

function evalRows(rows: readonly Row[], { evaluation }: KindResult): readonly EvalCase[] {
  return rows.flatMap((row, place) => {
    const result = evaluation.results[place]
    if (result === undefined) return []
    const { output, correct, abstained, confidence } = result
    return [{ id: row.id, input: row.input, expected: row.output, output, correct, abstained, fold: null, confidence }]
  })
}

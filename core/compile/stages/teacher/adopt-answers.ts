import { COMPILE_ERRORS } from '../../errors.ts'
import { apartOf } from '../sample/apart-of.ts'
import { kindInputOf, sidesOf } from '../sample/sample-part.ts'
import { taskEquality } from '../../rows/equality/task-equality.ts'
import { startClock, type StageClock } from '../clock/stage-clock.ts'
import type { KindCandidates, SampleInput, SampleOutput, SampleRecord, StageHooks } from '../stage-types.ts'
import type { RecipeKind } from '../../rows/task.ts'
import { adoptLabels, type AdoptedLabels } from './labels/adopt-labels.ts'
import { extendClassifier, type Extension } from './labels/extend-classifier.ts'
import { adoptPrograms, type AdoptedPrograms } from './programs/adopt-programs.ts'
import { judgeAnswers, type JudgedAnswers } from './programs/judge-answers.ts'
import { parseQuestion } from './questions.ts'
import { askedReport } from './report.ts'
import type { UnlabelledInput } from '../../rows/intake/example.ts'
import type { SampleOutcome, TeacherPlan, TeacherReport, TeacherSample, TeacherSpending } from './teacher-types.ts'

/** A teacher's answers, and the result to merge them into. */
export interface AdoptInput {
  /** Input of `k-sample`. */
  readonly input: SampleInput
  readonly unlabelled: readonly UnlabelledInput[]
  /** Its result without the teacher, with the plan. */
  readonly draft: SampleOutput
  /** Every sample of the job, in the order of its questions. */
  readonly samples: readonly TeacherSample[]
  readonly spending: TeacherSpending
}

/** The stage's result including the teacher's part, and the outcome of each sample. */
export interface AdoptOutput {
  readonly output: SampleOutput
  readonly outcomes: readonly {
    readonly question: string
    readonly ordinal: number
    readonly outcome: SampleOutcome
  }[]
}

/**
 * Merges a teacher's answers into the result of `k-sample`: programs join the competition, labels on which the samples
 * agree become training rows. Reads no row that scores the teacher. Deterministic for the same samples. Throws `compile_failed` for a
 * draft without a plan, and `compile_cancelled`.
 */
export function adoptAnswers(
  { input, unlabelled, draft, samples, spending }: AdoptInput,
  hooks: StageHooks = {},
): AdoptOutput {
  const clock = startClock('k-sample', hooks)
  const { teacherPlan: plan } = draft
  if (plan === null) throw COMPILE_ERRORS.compile_failed('there is no plan that answers belong to')
  // A draft of an earlier version asked about all rows, each in its turn.
  const seen = draft.split.mode === 'leave_one_out' ? draft.split : apartOf(draft, input.rows)
  if (seen === null) throw COMPILE_ERRORS.compile_failed('there are no rows to judge the answers by')
  const kindInput = kindInputOf(input, taskEquality(input.rows, seen, input.tolerances), sidesOf(seen), clock, hooks)
  const ofPrograms = samples.filter(({ question }) => parseQuestion(question).kind === 'program')
  const ofLabels = samples.filter(({ question }) => parseQuestion(question).kind === 'label')
  const byKind = (kind: RecipeKind): KindCandidates | null => draft.kinds.find((one) => one.kind === kind) ?? null
  const recordsOf = (kind: RecipeKind): readonly SampleRecord[] => draft.samples.filter((one) => one.kind === kind)
  clock.report('judge taught programs', 82)
  const judge = { ...kindInput, rows: input.rows, checkpoint: () => clock.checkpoint() }
  const answers = judgeAnswers(judge, plan.programs, ofPrograms)
  const programs: AdoptedPrograms =
    ofPrograms.length === 0
      ? { kind: byKind('program'), records: recordsOf('program'), reason: null }
      : adoptPrograms(
          judge,
          { kind: byKind('program'), records: recordsOf('program') },
          plan.programs,
          answers,
          draft.split.mode,
        )
  clock.report('adopt labels', 88)
  const labels =
    plan.labels === null
      ? null
      : adoptLabels({
          questions: plan.labels,
          unlabelled,
          samples: ofLabels,
          train: kindInput.train,
          negatives: kindInput.negatives,
        })
  clock.checkpoint()
  const extension = extendClassifier(kindInput, labels?.rows ?? [], byKind('classifier'), draft.split.mode)
  const classifier = extension.extended?.kind ?? byKind('classifier')
  const outcomes = [...answers.outcomes, ...(labels?.outcomes ?? [])].map(
    ({ sample: { question, ordinal }, outcome }) => ({ question, ordinal, outcome }),
  )
  const report = askedReport(draft.teacher, samples, spending, {
    programs: programReport(plan, ofPrograms, answers),
    labels: labelReport(plan, ofLabels, labels, extension),
  })
  clock.report('done', 100)
  return {
    outcomes,
    output: {
      ...draft,
      samples: [
        ...programs.records,
        ...classifierRecords(recordsOf('classifier'), extension),
        ...recordsOf('tabular'),
        ...recordsOf('composite'),
        ...(labels?.records ?? []),
      ],
      kinds: [programs.kind, classifier, byKind('tabular'), byKind('composite')].filter((kind) => kind !== null),
      notApplicable: reasonsAfter(draft, programs, extension),
      cost: addCosts(draft, clock, extension, report, spending),
      teacherPlan: null,
      teacher: report,
      teacherRows: labels?.rows ?? [],
    },
  }
}

function classifierRecords(before: readonly SampleRecord[], { extended }: Extension): readonly SampleRecord[] {
  if (extended === null) return before
  const beaten = before.map((record): SampleRecord => ({
    ...record,
    rank: record.rank + 1,
    verdict: { ...record.verdict, chosen: record.verdict.chosen === 'winner' ? 'beaten' : record.verdict.chosen },
  }))
  return [extended.record, ...beaten]
}

function reasonsAfter(
  { notApplicable }: SampleOutput,
  programs: AdoptedPrograms,
  { extended }: Extension,
): SampleOutput['notApplicable'] {
  return notApplicable.flatMap((one) => {
    if (one.kind === 'program') {
      if (programs.kind !== null) return []
      return [{ ...one, reason: programs.reason === null ? one.reason : `${one.reason}; ${programs.reason}` }]
    }
    return one.kind === 'classifier' && extended !== null ? [] : [one]
  })
}

function addCosts(
  { cost }: SampleOutput,
  clock: StageClock,
  { trainingSteps }: Extension,
  report: TeacherReport,
  spending: TeacherSpending,
): SampleOutput['cost'] {
  const own = clock.cost({ searchSteps: 0, trainingSteps })
  return {
    ...cost,
    wall_ms: cost.wall_ms + spending.elapsedMs + own.wall_ms,
    cpu_ms: cost.cpu_ms + own.cpu_ms,
    training_steps: cost.training_steps + trainingSteps,
    provider_tokens: report.input_tokens + report.output_tokens,
    cost_usd: report.cost_usd,
  }
}

function programReport(
  plan: TeacherPlan,
  samples: readonly TeacherSample[],
  answers: JudgedAnswers,
): TeacherReport['programs'] {
  if (plan.programs.length === 0) return null
  return {
    samples: samples.length,
    candidates: answers.outcomes.filter(({ outcome }) => outcome === 'candidate').length,
    repairs: samples.filter(({ question }) => {
      const name = parseQuestion(question)
      return name.kind === 'program' && name.repairs > 0
    }).length,
  }
}

function labelReport(
  { labels: asked }: TeacherPlan,
  samples: readonly TeacherSample[],
  labels: AdoptedLabels | null,
  { extended }: Extension,
): TeacherReport['labels'] {
  if (asked === null || labels === null) return null
  return {
    given: asked.given,
    dropped_near_holdout: asked.droppedNearHoldout,
    dropped_known: asked.droppedKnown,
    asked: asked.inputs.length,
    samples: samples.length,
    accepted: labels.rows.length,
    disagreed: labels.disagreed,
    refused_by_verifier: labels.refusedByVerifier,
    used_by_classifier: extended !== null,
  }
}

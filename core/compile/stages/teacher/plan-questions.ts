import type { UnlabelledInput } from '../../rows/intake/example.ts'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import { answerOf } from '../scoring/evaluate.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import { groupNearDuplicates } from '../../rows/split/near-duplicates.ts'
import type { Split } from '../../rows/split/split-report.ts'
import { apartOf } from '../sample/apart-of.ts'
import { openCandidate } from '../candidate.ts'
import { isEvaluated } from '../scoring/not-evaluated.ts'
import { HOLD_BACK_FROM, holdRowsBack, pickFirst, shuffleByHash } from '../sample/searched-rows.ts'
import type { KindCandidates, SampleOutput, SampleRecord } from '../stage-types.ts'
import type { Row } from '../../rows/task.ts'
import { notAsked } from './report.ts'
import { fitPrompt, MAX_SHOWN, rowsAt } from './show-rows.ts'
import type { LabelQuestions, ProgramQuestion, TeacherBrief, TeacherPlan } from './teacher-types.ts'

/** Inputs of a plan: the rows, their split, and the search's result without a teacher. */
interface PlanInput {
  readonly rows: readonly Row[]
  /** Scores the kinds that were made without a teacher. */
  readonly split: Split
  /** The split whose train rows a teacher may see. */
  readonly apart: Split
  readonly equality: Equality
  readonly kinds: readonly KindCandidates[]
  readonly samples: readonly SampleRecord[]
  readonly brief: TeacherBrief
}

/** Share of right answers on held-back rows from which no teacher is asked for a program. */
const SURE_SHARE = 0.95
/** Share of few train rows that a question keeps out of its prompts; more are divided as the search divides them. */
const UNSEEN_OF_FEW = 3
/** Failing rows of the synthesizer's program that a prompt shows. */
const MAX_FAILING = 8
/** Rows of the fitting side that are tried with the synthesizer's program. */
const TRIED_ROWS = 500
/** Rows that a question about an input shows. */
const LABEL_ROWS = 16

/** The best share of right answers that a kind has on rows it was not fitted on, of those that a teacher may see. */
function bestShare({ rows, apart, kinds, equality }: PlanInput): number {
  const byId = new Map(rowsAt(rows, apart.train).map((row) => [row.id, row]))
  const shares = kinds.map(({ folds, innerEvidence }) => {
    if (folds === null) return innerEvidence === null ? 0 : innerEvidence.right / Math.max(1, innerEvidence.rows)
    // Unfinished folds of a kind must not keep a teacher from being asked.
    if (!folds.every(isEvaluated)) return 0
    const right = folds.filter(({ id, output, abstained, error }) => {
      const row = byId.get(id)
      return row !== undefined && error === null && !abstained && isSameOutput(equality, output, row.output)
    })
    return right.length / Math.max(1, byId.size)
  })
  return Math.max(0, ...shares)
}

/**
 * The best program that was found without the held-back rows, and rows of the fitting side that it fails. Null with
 * cross-fitting: the programs found were fitted on all rows, and would tell of the rows that score the teacher.
 */
function findHint(input: PlanInput, fit: readonly number[]): ProgramQuestion['hint'] {
  if (input.split.mode === 'cross_fit') return null
  const honest = new Set(input.samples.filter(({ verdict }) => verdict.held_back_rows !== null).map(({ id }) => id))
  const programs = input.kinds.find(({ kind }) => kind === 'program')?.recipes ?? []
  const data = programs.find(({ sampleId }) => honest.has(sampleId))?.data
  if (data?.kind !== 'program') return null
  const runner = openCandidate(data)
  const failing = fit.slice(0, TRIED_ROWS).filter((place) => {
    const row = input.rows[place]
    if (row === undefined) return false
    const { output, abstained, error } = answerOf(runner, row.input)
    return error !== null || abstained || !isSameOutput(input.equality, output, row.output)
  })
  return { program: data.recipe, failing: fitPrompt(failing, input.rows, MAX_FAILING) }
}

/** The train rows that a question's prompts may show, and those that judge whether an answer holds beyond them. */
function keepRowsOut(train: readonly Row[]): { readonly fit: readonly Row[]; readonly heldBack: readonly Row[] } {
  if (train.length >= HOLD_BACK_FROM) return holdRowsBack(train)
  const ordered = shuffleByHash(train)
  const out = Math.floor(ordered.length / UNSEEN_OF_FEW)
  return { fit: ordered.slice(out), heldBack: ordered.slice(0, out) }
}

function planPrograms(input: PlanInput): readonly ProgramQuestion[] {
  const { rows, apart, brief } = input
  const places = new Map(rows.map((row, place) => [row, place]))
  const placesOf = (some: readonly Row[]): number[] => some.flatMap((row) => places.get(row) ?? [])
  const { fit, heldBack } = keepRowsOut(rowsAt(rows, apart.train))
  const question = {
    id: 'program/0',
    samples: brief.teacher.settings.programSamples,
    shown: fitPrompt(placesOf(pickFirst(fit, MAX_SHOWN)), rows),
    fit: placesOf(fit),
    unseen: placesOf(heldBack),
  }
  return [{ ...question, hint: findHint(input, question.fit) }]
}

/** Returns the unlabelled inputs to ask about: none that nearly duplicates an evaluated one, none that is known. */
function chooseInputs(input: PlanInput, unlabelled: readonly UnlabelledInput[]) {
  const { rows, apart: split } = input
  const evaluated = new Set(split.holdout)
  const all: readonly Json[] = [...rows.map((row) => row.input), ...unlabelled.map((one) => one.input)]
  const groupOf = groupNearDuplicates(all)
  const nearHoldout = new Set(split.holdout.map((place) => groupOf[place]))
  const known = new Set(rows.flatMap((row, place) => (evaluated.has(place) ? [] : [canonicalJson(row.input)])))
  const inputs: number[] = []
  let droppedNearHoldout = 0
  let droppedKnown = 0
  for (const [i, { input: given }] of unlabelled.entries()) {
    const key = canonicalJson(given)
    if (nearHoldout.has(groupOf[rows.length + i])) droppedNearHoldout++
    else if (known.has(key)) droppedKnown++
    else inputs.push(i)
    known.add(key)
  }
  return { inputs, droppedNearHoldout, droppedKnown }
}

function planLabels(input: PlanInput): LabelQuestions | null {
  const { rows, apart, brief } = input
  if (brief.unlabelled.length === 0) return null
  const { inputs, droppedNearHoldout, droppedKnown } = chooseInputs(input, brief.unlabelled)
  const places = new Map(rows.map((row, place) => [row, place]))
  const examples = pickFirst(shuffleByHash(rowsAt(rows, apart.train)), LABEL_ROWS)
  return {
    inputs,
    samples: brief.teacher.settings.labelSamples,
    shown: fitPrompt(
      examples.flatMap((row) => places.get(row) ?? []),
      rows,
      LABEL_ROWS,
    ),
    given: brief.unlabelled.length,
    droppedNearHoldout,
    droppedKnown,
  }
}

/**
 * Plans the questions for a teacher, from the rows that it may see: the rows that score it are in no prompt. Programs are
 * requested when no candidate found without a teacher is right on nearly all rows that it did not see; labels for the
 * unlabelled inputs whenever there are some. Every question for programs also keeps a quarter of the train rows out of
 * its prompts, the same that a search over them holds back (a third of fewer than 12). Pure.
 */
function planQuestions(input: PlanInput): TeacherPlan {
  const isSure = bestShare(input) >= Math.max(SURE_SHARE, input.brief.floor)
  return {
    programs: isSure ? [] : planPrograms(input),
    noPrograms: isSure ? 'cheaper_recipe_fits' : null,
    labels: planLabels(input),
  }
}

/** The result of `k-sample` without a teacher, and the brief for one. */
type TeachingInput = Omit<PlanInput, 'brief' | 'apart'> &
  Pick<SampleOutput, 'apart'> & { readonly brief?: TeacherBrief }

/** Returns the open questions for a teacher, or the report of a job without any. */
export function planTeaching(input: TeachingInput): Pick<SampleOutput, 'teacherPlan' | 'teacher'> {
  const { brief } = input
  if (brief === undefined) return { teacherPlan: null, teacher: notAsked(null, 'no_teacher_configured') }
  const { teacher } = brief
  if (teacher.prices === null) return { teacherPlan: null, teacher: notAsked(teacher, 'no_price_known') }
  const apart = apartOf(input, input.rows)
  if (apart === null) return { teacherPlan: null, teacher: notAsked(teacher, 'too_few_rows') }
  const plan = planQuestions({ ...input, brief, apart })
  const isIdle = plan.programs.length === 0 && (plan.labels === null || plan.labels.inputs.length === 0)
  const report = notAsked(teacher, plan.noPrograms ?? 'nothing_to_ask')
  return { teacherPlan: isIdle ? null : plan, teacher: report }
}

import { canonicalJson } from '../../../../kernel/json/json.ts'
import { isSameOutput } from '../../../rows/equality/same-output.ts'
import { answerOf } from '../../scoring/evaluate.ts'
import { hashOf } from '../../candidate.ts'
import { isEvaluated } from '../../scoring/not-evaluated.ts'
import type { FoldAnswer, KindCandidates, RecipeData, SampleRecord } from '../../stage-types.ts'
import type { Row } from '../../../rows/task.ts'
import { parseQuestion } from '../questions.ts'
import { rowsAt } from '../show-rows.ts'
import { sampleFacts } from '../sample-facts.ts'
import type { Split } from '../../../rows/split/split-report.ts'
import type { ProgramQuestion } from '../teacher-types.ts'
import type { JudgedAnswers, ProgramJudge, TaughtProgram } from './judge-answers.ts'

/** The programs that were found without a teacher: their candidates, and the record of each sample. */
export interface FoundPrograms {
  readonly kind: KindCandidates | null
  readonly records: readonly SampleRecord[]
}

/** A competing program, from any source. */
interface Contender {
  readonly id: string
  readonly data: RecipeData
  readonly negativesViolated: number
  readonly trainRight: number
  readonly unseenRight: number | null
  readonly isTaught: boolean
  readonly size: number
}

/**
 * Fewest violated negatives first, then most train rows right, then most held-back rows; a teacher's after others, a longer
 * one after a shorter one.
 */
function compare(a: Contender, b: Contender): number {
  return (
    a.negativesViolated - b.negativesViolated ||
    b.trainRight - a.trainRight ||
    (b.unseenRight ?? -1) - (a.unseenRight ?? -1) ||
    Number(a.isTaught) - Number(b.isTaught) ||
    a.size - b.size
  )
}

function taughtContender(program: TaughtProgram, id: string): Contender {
  return {
    id,
    data: { kind: 'program', recipe: program.recipe },
    negativesViolated: program.negativesViolated,
    trainRight: program.fitRight + program.unseenRight,
    unseenRight: program.unseenRight,
    isTaught: true,
    size: program.sizeBytes,
  }
}

function foundContenders({ kind, records }: FoundPrograms): readonly Contender[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  return (kind?.recipes ?? []).flatMap(({ sampleId, data }) => {
    const record = byId.get(sampleId)
    if (record === undefined) return []
    const { fitted_right: fitted, held_back_right: held, negatives_violated: violated } = record.verdict
    return [
      {
        id: sampleId,
        data,
        negativesViolated: violated ?? 0,
        trainRight: (fitted ?? 0) + (held ?? 0),
        unseenRight: held,
        isTaught: false,
        size: record.size_bytes ?? 0,
      },
    ]
  })
}

/**
 * Every row answered by the best program, by the rows that it could see, of the question that kept that row out: for
 * drafts of versions that asked in parts. The rows of a question that the teacher never answered are not evaluated.
 */
function answerParts(
  judge: ProgramJudge,
  questions: readonly ProgramQuestion[],
  { programs, outcomes }: JudgedAnswers,
): readonly FoldAnswer[] {
  const answered = new Set(
    outcomes.map(({ sample }) => {
      const name = parseQuestion(sample.question)
      return name.kind === 'program' ? name.root : null
    }),
  )
  const answers = new Map<string, FoldAnswer>()
  for (const question of questions) {
    const error = answered.has(question.id) ? ('no_candidate' as const) : ('out_of_budget' as const)
    const best = programs
      .filter((program) => program.question === question)
      .toSorted((a, b) => b.fitRight - a.fitRight || a.sizeBytes - b.sizeBytes)[0]
    for (const row of rowsAt(judge.rows, question.unseen)) {
      const none = { output: null, abstained: false, confidence: 0, error }
      answers.set(row.id, { id: row.id, ...(best === undefined ? none : answerOf(best.runner, row.input)) })
    }
  }
  return judge.rows.flatMap(({ id }) => answers.get(id) ?? [])
}

function countRight(judge: ProgramJudge, folds: readonly FoldAnswer[] | null): number {
  const byId = new Map(folds?.map((fold) => [fold.id, fold]))
  return judge.rows.filter((row: Row) => {
    const fold = byId.get(row.id)
    if (fold === undefined || fold.error !== null || fold.abstained) return false
    return isSameOutput(judge.equality, fold.output, row.output)
  }).length
}

/**
 * Returns true when a teacher's programs beat the ones found without it: they answer every row, and get more rows right
 * than the others could even if all their unfinished folds were right.
 */
function areTaughtAhead(judge: ProgramJudge, taught: readonly FoldAnswer[], found: readonly FoldAnswer[] | null) {
  if (!taught.every(isEvaluated)) return false
  const open = (found ?? []).filter((fold) => !isEvaluated(fold)).length
  return countRight(judge, taught) > countRight(judge, found) + open
}

/**
 * Returns true when a teacher's best program beats the cross-fitted ones on the train rows that neither saw. It has to be
 * right on more of them than the others could be even if all their unfinished folds were right, and it may violate no
 * more negatives.
 */
function isTaughtBetter(judge: ProgramJudge, best: TaughtProgram, found: FoundPrograms, before: readonly Contender[]) {
  const unseen = rowsAt(judge.rows, best.question.unseen)
  const folds = new Map(found.kind?.folds?.map((fold) => [fold.id, fold]))
  const right = unseen.filter((row) => {
    const fold = folds.get(row.id)
    if (!isEvaluated(fold)) return true
    return fold.error === null && !fold.abstained && isSameOutput(judge.equality, fold.output, row.output)
  })
  const violated = before[0]?.negativesViolated ?? Infinity
  return best.unseenRight > right.length && best.negativesViolated <= violated
}

/** Programs of the same text count once. */
function distinctPrograms(programs: readonly TaughtProgram[]): readonly TaughtProgram[] {
  const seen = new Set<string>()
  return programs.filter(({ recipe }) => {
    const key = canonicalJson(recipe)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** The candidates and records of the kind `program` once a teacher has answered. */
export interface AdoptedPrograms extends FoundPrograms {
  /** Reason for a missing candidate; null when there is one. */
  readonly reason: string | null
}

/**
 * Lets the programs of a teacher compete with those found without one. Scored on the same rows, they compete by the rules
 * of the search: train rows right, then the held-back rows among them. Where those found were cross-fitted, the best of
 * the teacher must do better on train rows that neither saw; it is then scored on the rows that no teacher saw.
 */
export function adoptPrograms(
  judge: ProgramJudge,
  found: FoundPrograms,
  questions: readonly ProgramQuestion[],
  answers: JudgedAnswers,
  mode: Split['mode'],
): AdoptedPrograms {
  const usable = distinctPrograms(answers.programs.filter(({ isUsable }) => isUsable))
  const idOf = (program: TaughtProgram): string =>
    `frontier-${answers.outcomes.findIndex(({ sample }) => sample === program.sample) + 1}`
  const taught = usable.map((program) => taughtContender(program, idOf(program))).toSorted(compare)
  const before = foundContenders(found)
  const folds = mode === 'leave_one_out' ? answerParts(judge, questions, answers) : null
  const isAskedInFull = folds === null || folds.every(isEvaluated)
  const best = usable.find((program) => idOf(program) === taught[0]?.id)
  const rank = (): readonly Contender[] => {
    if (folds !== null) {
      if (areTaughtAhead(judge, folds, found.kind?.folds ?? null)) return [...taught, ...before]
      return [...before, ...(isAskedInFull ? taught : [])]
    }
    if (mode !== 'cross_fit') return [...before, ...taught].toSorted(compare)
    const isBetter = best !== undefined && isTaughtBetter(judge, best, found, before)
    return isBetter ? [...taught, ...before] : [...before, ...taught]
  }
  const ranked = rank()
  const winner = ranked[0]
  const records = rankRecords(found.records, taughtRecords(answers, idOf), ranked)
  if (winner === undefined) {
    const reason = isAskedInFull
      ? "the teacher's programs fail on rows that they were not shown"
      : "the teacher's programs cannot be evaluated: asking ended before every row was kept out of a question once"
    return { kind: null, records, reason }
  }
  if (!winner.isTaught && found.kind !== null) {
    return { kind: { ...found.kind, recipes: toRecipes(ranked) }, records, reason: null }
  }
  const shipped = usable.find((program) => idOf(program) === winner.id)
  return {
    kind: {
      kind: 'program',
      recipes: toRecipes(ranked),
      competition: folds === null ? 'held_back_rows' : 'cross_fit',
      folds,
      innerEvidence:
        shipped === undefined ? null : { rows: shipped.question.unseen.length, right: shipped.unseenRight },
      innerPredictions: [],
    },
    records,
    reason: null,
  }
}

function toRecipes(ranked: readonly Contender[]): KindCandidates['recipes'] {
  return ranked.map(({ id, data }) => ({ sampleId: id, data }))
}

function taughtRecords(answers: JudgedAnswers, idOf: (program: TaughtProgram) => string): readonly SampleRecord[] {
  const programs = new Map(answers.programs.map((program) => [program.sample, program]))
  return answers.outcomes.map(({ sample, outcome }, i) => {
    const program = programs.get(sample)
    const data: RecipeData | null = program === undefined ? null : { kind: 'program', recipe: program.recipe }
    return {
      id: program === undefined ? `frontier-${i + 1}` : idOf(program),
      provider: 'frontier',
      kind: 'program',
      rank: 0,
      cost: program?.sizeBytes ?? null,
      search_steps: 0,
      training_steps: 0,
      size_bytes: program?.sizeBytes ?? null,
      recipe_hash: data === null ? null : hashOf(data),
      settings: {},
      verdict: {
        fitted_rows: program?.question.fit.length ?? null,
        fitted_right: program?.fitRight ?? null,
        held_back_rows: program?.question.unseen.length ?? null,
        held_back_right: program?.unseenRight ?? null,
        verified_rows: null,
        verified_passed: null,
        negatives_violated: program?.negativesViolated ?? null,
        chosen: 'refused',
      },
      teacher: sampleFacts(sample, outcome),
    }
  })
}

/** Returns all records of programs in one order: candidates by rank, then refused ones. */
function rankRecords(
  found: readonly SampleRecord[],
  taught: readonly SampleRecord[],
  ranked: readonly Contender[],
): readonly SampleRecord[] {
  const places = new Map(ranked.map(({ id }, place) => [id, place]))
  const last = places.size
  return [...found, ...taught]
    .toSorted((a, b) => (places.get(a.id) ?? last) - (places.get(b.id) ?? last))
    .map((record, i): SampleRecord => {
      const place = places.get(record.id)
      const chosen = place === undefined ? 'refused' : place === 0 ? 'winner' : 'beaten'
      return { ...record, rank: i + 1, verdict: { ...record.verdict, chosen } }
    })
}

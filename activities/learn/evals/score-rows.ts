import { setImmediate as nextTurn } from 'node:timers/promises'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import type { ScoredRow } from '../../../core/learn/evals/scoring/score-row.ts'
import type { EvalTarget, RowAnswer } from '../../../core/learn/evals/targets/eval-target.ts'
import { withScoring, type ScoringThread } from '../../../core/learn/evals/thread/eval-threads.ts'
import { beginEvaluation, nextRows, recordOutcomes, type ScoredPlace } from '../../../db/learn/evals/run-evaluation.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type EvaluationDeps, type EvaluationRef } from './deps.ts'
import { readArchive, withTarget } from './open-target.ts'

/** Rows that are asked for at once, and recorded together: a crash repeats at most these. */
const ROWS_AT_ONCE = 16
/** Rows of an artifact that run in a thread: as many as are done within a moment. */
const MOST_AT_ONCE = 1024
const QUICK_MS = 150
const SLOW_MS = 1500

/**
 * Scores the rows of an evaluation that are not scored. Safe to repeat: outcomes are recorded as they arrive, each once. Returns the
 * number of rows that are scored.
 */
export async function scoreRows(deps: EvaluationDeps, ref: EvaluationRef): Promise<number> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const begun = await beginEvaluation(op, ref.evaluationId)
      if (begun === null) return 0
      const { definition, rowCount } = begun
      const { target } = definition
      const lane = target.kind === 'base' ? ('long' as const) : ('short' as const)
      const archive = target.kind === 'artifact' ? await readArchive(deps, ref, target.artifactId) : null
      return await inSlot(deps, { lane, work: ref }, activity, async (working) =>
        withScoring(definition.set, working.signal, async (thread) => {
          const scoring = { deps, ref, rowCount, before: begun.scoredCount }
          if (archive !== null && (await thread.openArchive(archive))) {
            return await scoreAll({ ...scoring, answer: async (rows) => await runRows(thread, rows) }, working)
          }
          return await withTarget(deps, ref, definition, async (opened) => {
            const asking = { definition, target: opened, thread, signal: working.signal }
            return await scoreAll({ ...scoring, answer: async (rows) => await askRows(asking, rows) }, working)
          })
        }),
      )
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

type NextRow = Awaited<ReturnType<typeof nextRows>>[number]

interface Scoring {
  readonly deps: EvaluationDeps
  readonly ref: EvaluationRef
  readonly rowCount: number
  /** Rows that were scored before. */
  readonly before: number
  /** Returns the outcomes of rows, and how many rows to give it next. */
  readonly answer: (
    rows: readonly NextRow[],
  ) => Promise<{ readonly outcomes: readonly ScoredPlace[]; readonly next: number }>
}

async function scoreAll({ deps, ref, rowCount, before, answer }: Scoring, activity: RunningActivity): Promise<number> {
  const op = operationOf(deps, ref)
  let scored = before
  for (let most = ROWS_AT_ONCE; ;) {
    activity.signal.throwIfAborted()
    const rows = await nextRows(op, ref.evaluationId, most)
    if (rows.length === 0) return scored
    const { outcomes, next } = await answer(rows)
    scored = await recordOutcomes(op, ref.evaluationId, outcomes)
    activity.note({ step: 'score', done: scored, total: rowCount })
    most = next
    await nextTurn()
  }
}

/** Runs an artifact in the thread of its evaluation, which no program can hold for long: it gets more rows while they are quick. */
async function runRows(thread: ScoringThread, rows: readonly NextRow[]) {
  const startedAt = performance.now()
  const results = await thread.run(rows.map(({ sample }) => sample))
  const tookMs = performance.now() - startedAt
  const outcomes = rows.flatMap(({ place }, at) => placed(place, results[at], results[at]))
  const next =
    tookMs < QUICK_MS
      ? Math.min(MOST_AT_ONCE, rows.length * 4)
      : tookMs > SLOW_MS
        ? Math.ceil(rows.length / 4)
        : rows.length
  return { outcomes, next }
}

interface Asking {
  readonly definition: EvalDefinition
  readonly target: EvalTarget
  readonly thread: ScoringThread
  readonly signal: AbortSignal
}

async function askRows({ definition, target, thread, signal }: Asking, rows: readonly NextRow[]) {
  const tasks = new Map(definition.set.tasks.map((task) => [task.task, task]))
  const answers = await Promise.all(
    rows.map(async ({ sample: row, answers: bought }) => {
      const task = tasks.get(row.task)
      if (task === undefined) throw LEARN_ERRORS.evaluation_failed(`there is no task ${row.task}`)
      return await target.answer(task, { ...row, bought: bought ?? [] }, signal)
    }),
  )
  const scores = await thread.score(
    answers.flatMap(({ responses }, at) => {
      const row = rows[at]?.sample
      return row === undefined ? [] : [{ row, responses }]
    }),
  )
  return { outcomes: rows.flatMap(({ place }, at) => placed(place, answers[at], scores[at])), next: ROWS_AT_ONCE }
}

function placed(place: number, answer: RowAnswer | undefined, scored: ScoredRow | undefined): readonly ScoredPlace[] {
  if (answer === undefined || scored === undefined) return []
  const { responses, cutTokens, silence = null, confidence = null } = answer
  const { scores, isRight, rightRepeats } = scored
  return [{ place, isRight, outcome: { responses, scores, rightRepeats, cutTokens, silence, confidence } }]
}

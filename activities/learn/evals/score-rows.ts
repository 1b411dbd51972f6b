import { setImmediate as nextTurn } from 'node:timers/promises'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { isJudged, isMarked } from '../../../core/learn/evals/bench/runs/bench-definition.ts'
import type { RowMarks } from '../../../core/learn/evals/bench/runs/marks.ts'
import type { EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import type { ScoredRow } from '../../../core/learn/evals/scoring/score-row.ts'
import type { EvalTarget, RowAnswer } from '../../../core/learn/evals/targets/eval-target.ts'
import { withScoring, type ScoringThread } from '../../../core/learn/evals/thread/eval-threads.ts'
import { readArchive } from '../../../db/compile/artifacts/read-archive.ts'
import { beginEvaluation, nextRows, recordOutcomes, type ScoredPlace } from '../../../db/learn/evals/run-evaluation.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { dialogueTarget, threadTarget } from '../bench/bench-targets.ts'
import { openMarker, type MarkRow } from '../bench/mark-rows.ts'
import { operationOf, type EvaluationDeps, type EvaluationRef } from './deps.ts'
import { withTarget } from './open-target.ts'

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
      const { definition, rowCount, namespace } = begun
      const { target, bench } = definition
      const lane = target.kind === 'base' ? ('long' as const) : ('short' as const)
      const archive = target.kind === 'artifact' ? await readArchive(op, target.artifactId) : null
      return await inSlot(deps, { lane, work: ref }, activity, async (working) =>
        withScoring(definition.set, working.signal, async (thread) => {
          const scoring = { deps, ref, rowCount, before: begun.scoredCount }
          const isInThread = archive !== null && (await thread.openArchive(archive))
          if (isInThread && !isMarked(bench)) {
            return await scoreAll({ ...scoring, answer: async (rows) => await runRows(thread, rows) }, working)
          }
          const mark = await openMarker(deps, { tenantId: ref.tenantId, namespace }, definition, working)
          const ask = async (opened: EvalTarget): Promise<number> => {
            const isDialogue = bench?.benchmark === 'mtbench' && target.kind !== 'model'
            const asked = isDialogue ? dialogueTarget(opened) : opened
            const asking = { definition, target: asked, thread, mark, signal: working.signal }
            const answer = async (rows: readonly NextRow[]) => await askRows(asking, rows)
            return await (isJudged(bench) ? scoreEach : scoreAll)({ ...scoring, answer }, working)
          }
          return isInThread ? await ask(threadTarget(thread)) : await withTarget(deps, ref, definition, ask)
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

/**
 * The same where marks are bought: each row is recorded as soon as it is marked, also when another fails, so a crash repeats
 * only rows under way.
 */
async function scoreEach({ deps, ref, rowCount, before, answer }: Scoring, activity: RunningActivity): Promise<number> {
  const op = operationOf(deps, ref)
  let scored = before
  for (;;) {
    activity.signal.throwIfAborted()
    const rows = await nextRows(op, ref.evaluationId, ROWS_AT_ONCE)
    if (rows.length === 0) return scored
    const ended = await Promise.allSettled(
      rows.map(async (row) => {
        const { outcomes } = await answer([row])
        scored = Math.max(scored, await recordOutcomes(op, ref.evaluationId, outcomes))
        activity.note({ step: 'score', done: scored, total: rowCount })
      }),
    )
    const failed = ended.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
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
  readonly mark: MarkRow
  readonly signal: AbortSignal
}

async function askRows({ definition, target, thread, mark, signal }: Asking, rows: readonly NextRow[]) {
  const tasks = new Map(definition.set.tasks.map((task) => [task.task, task]))
  const answers = await Promise.all(
    rows.map(async ({ sample: row, answers: bought }) => {
      const task = tasks.get(row.task)
      if (task === undefined) throw LEARN_ERRORS.evaluation_failed(`there is no task ${row.task}`)
      const answer = await target.answer(task, { ...row, bought: bought ?? [] }, signal)
      return { ...answer, marks: await mark(row, answer.responses) }
    }),
  )
  const scores = await thread.score(
    answers.flatMap(({ responses, marks }, at) => {
      const row = rows[at]?.sample
      return row === undefined ? [] : [{ row, responses, marks }]
    }),
  )
  return { outcomes: rows.flatMap(({ place }, at) => placed(place, answers[at], scores[at])), next: ROWS_AT_ONCE }
}

function placed(
  place: number,
  answer: (RowAnswer & { readonly marks?: RowMarks | undefined }) | undefined,
  scored: ScoredRow | undefined,
): readonly ScoredPlace[] {
  if (answer === undefined || scored === undefined) return []
  const { responses, marks, cutTokens, silence = null, confidence = null } = answer
  const { scores, isRight, rightRepeats } = scored
  const outcome = { responses, scores, rightRepeats, cutTokens, silence, confidence }
  return [{ place, isRight, outcome: marks === undefined ? outcome : { ...outcome, marks } }]
}

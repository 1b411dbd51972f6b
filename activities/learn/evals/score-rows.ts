import { setImmediate as nextTick } from 'node:timers/promises'
import { runTerms } from '../../../core/compile/stages/pool/run-terms.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { isJudged, isMarked } from '../../../core/learn/evals/bench/runs/bench-definition.ts'
import type { EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import type { PackedOutcomes } from '../../../core/learn/evals/scoring/packed-outcome.ts'
import type { EvalTarget } from '../../../core/learn/evals/targets/eval-target.ts'
import type { ScoringThread } from '../../../core/learn/evals/thread/scoring-threads.ts'
import { readArchive } from '../../../db/compile/artifacts/read-archive.ts'
import { recipeKinds } from '../../../db/compile/compute/recipe-kinds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import {
  beginEvaluation,
  nextRows,
  nextSamples,
  recordOutcomes,
  type WaitingQuery,
} from '../../../db/learn/evals/run-evaluation.ts'
import { inSlot, type HeldSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { dialogueTarget, threadTarget } from '../bench/bench-targets.ts'
import { openMarker, type MarkRow } from '../bench/mark-rows.ts'
import { operationOf, type EvaluationDeps, type EvaluationRef } from './deps.ts'
import { withTarget } from './open-target.ts'

/** Rows that are asked for at once, and recorded together: a crash repeats at most these. */
const ROWS_AT_ONCE = 16
/** Rows of an artifact that run in a thread: as many as are done within a moment. */
const MOST_AT_ONCE = 1024
/** Characters of their JSON, about: a list is as long as the rows of the one before allow. Two lists are in memory at once. */
const MOST_CHARS = 8 * 1024 * 1024
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
      const terms = runTerms([target], await recipeKinds(op, ref.tenantId, [target]))
      const isInThread = target.kind === 'artifact' && !terms.takesTurns
      const archive = isInThread ? await readArchive(op, target.artifactId) : null
      return await inSlot(deps, { ...terms, work: ref }, activity, async (working, slot) => {
        const scoring = { deps, ref, slot, rowCount, before: begun.scoredCount }
        const withThread = async <T>(work: (thread: ScoringThread) => Promise<T>): Promise<T> =>
          await deps.scoring.withScoring(definition.set, working.signal, work)
        const ask = async (opened: EvalTarget, score: ScoringThread['score']): Promise<number> => {
          const mark = await openMarker(deps, { tenantId: ref.tenantId, namespace }, definition, working)
          const isDialogue = bench?.benchmark === 'mtbench' && target.kind !== 'model'
          const asked = isDialogue ? dialogueTarget(opened) : opened
          const asking = { definition, target: asked, score, mark, signal: working.signal }
          const answer = async (rows: readonly NextRow[]) => await askRows(asking, rows)
          return await (isJudged(bench) ? scoreEach : scoreAll)({ ...scoring, read: nextRows, answer }, working)
        }
        if (terms.takesTurns) {
          // It waits for its turns among those of other tenants, and holds no thread meanwhile.
          const score: ScoringThread['score'] = async (answers) =>
            await withThread(async (thread) => await thread.score(answers))
          return await withTarget(deps, ref, definition, async (opened) => await ask(opened, score))
        }
        return await withThread(async (thread) => {
          if (archive !== null) await thread.openArchive(archive)
          if (archive !== null && !isMarked(bench)) {
            const answer = async (rows: readonly NextSample[]) => await runRows(thread, rows)
            return await scoreAll({ ...scoring, read: nextSamples, answer }, working)
          }
          const score: ScoringThread['score'] = async (answers) => await thread.score(answers)
          if (archive !== null) return await ask(threadTarget(thread), score)
          return await withTarget(deps, ref, definition, async (opened) => await ask(opened, score))
        })
      })
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

type NextRow = Awaited<ReturnType<typeof nextRows>>[number]
type NextSample = Awaited<ReturnType<typeof nextSamples>>[number]

interface Scoring<Row> {
  readonly deps: EvaluationDeps
  readonly ref: EvaluationRef
  readonly slot: HeldSlot
  readonly rowCount: number
  /** Rows that were scored before. */
  readonly before: number
  /** Returns the next rows behind a place. */
  readonly read: (op: Operation, id: string, query: WaitingQuery) => Promise<readonly Row[]>
  /** Returns the outcomes of rows, and how many rows to give it next. */
  readonly answer: (rows: readonly Row[]) => Promise<{ readonly outcomes: PackedOutcomes; readonly next: number }>
}

/** While rows are scored, those before them are recorded and those behind them are read. */
async function scoreAll<Row extends { readonly place: number }>(
  { deps, ref, slot, rowCount, before, read, answer }: Scoring<Row>,
  activity: RunningActivity,
): Promise<number> {
  const op = operationOf(deps, ref)
  const id = ref.evaluationId
  let limit = ROWS_AT_ONCE
  let recording = Promise.resolve(before)
  try {
    for (let rows = await read(op, id, { after: -1, limit }); ;) {
      activity.signal.throwIfAborted()
      const last = rows.at(-1)
      if (last === undefined) return await recording
      const following = read(op, id, { after: last.place, limit })
      // Failures of both are thrown where they are awaited: what was answered before is recorded.
      following.catch(() => undefined)
      const { outcomes, next } = await answer(rows)
      activity.note({ step: 'score', done: await recording, total: rowCount })
      recording = recordOutcomes(op, id, outcomes)
      recording.catch(() => undefined)
      rows = await following
      limit = next
      if (rows.length > 0) await slot.nextTurn()
      await nextTick()
    }
  } finally {
    // Where another row has failed, what is scored is recorded nevertheless.
    await recording.catch(() => undefined)
  }
}

/**
 * The same where marks are bought: each row is recorded as soon as it is marked, also when another fails, so a crash repeats
 * only rows under way.
 */
async function scoreEach(
  { deps, ref, slot, rowCount, before, answer }: Scoring<NextRow>,
  activity: RunningActivity,
): Promise<number> {
  const op = operationOf(deps, ref)
  let scored = before
  for (;;) {
    activity.signal.throwIfAborted()
    const rows = await nextRows(op, ref.evaluationId, { after: -1, limit: ROWS_AT_ONCE })
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
    await slot.nextTurn()
    await nextTick()
  }
}

/** Runs an artifact in the thread of its evaluation, which no program can hold for long: it gets more rows while they are quick. */
async function runRows(thread: ScoringThread, rows: readonly NextSample[]) {
  const startedAt = performance.now()
  const outcomes = await thread.run(rows)
  const tookMs = performance.now() - startedAt
  const chars = rows.reduce((sum, { sample }) => sum + sample.length, 0)
  const more = Math.min(MOST_AT_ONCE, rows.length * 4, Math.floor((MOST_CHARS * rows.length) / Math.max(1, chars)))
  const next = tookMs < QUICK_MS ? more : tookMs > SLOW_MS ? rows.length / 4 : rows.length
  return { outcomes, next: Math.max(1, Math.ceil(next)) }
}

interface Asking {
  readonly definition: EvalDefinition
  readonly target: EvalTarget
  readonly score: ScoringThread['score']
  readonly mark: MarkRow
  readonly signal: AbortSignal
}

async function askRows({ definition, target, score, mark, signal }: Asking, rows: readonly NextRow[]) {
  const tasks = new Map(definition.set.tasks.map((task) => [task.task, task]))
  const answers = await Promise.all(
    rows.map(async ({ place, sample: row, answers: bought }) => {
      const task = tasks.get(row.task)
      if (task === undefined) throw LEARN_ERRORS.evaluation_failed(`there is no task ${row.task}`)
      const answer = await target.answer(task, { ...row, bought: bought ?? [] }, signal)
      return { place, row, answer, marks: await mark(row, answer.responses) }
    }),
  )
  return { outcomes: await score(answers), next: ROWS_AT_ONCE }
}

import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { loadArchive, type LoadedArchive } from '../../../compile/runtime/load-archive.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import type { RowResponses } from '../scoring/responses.ts'
import { createScorer, type ScoredRow, type Scorer } from '../scoring/score-row.ts'
import { artifactAnswer, failedAnswer } from '../targets/artifact-answer.ts'
import type { RowAnswer } from '../targets/eval-target.ts'
import type { TaskConfig } from '../task/task-config.ts'
import { packLog } from '../logs/read/imported.ts'
import { readLog } from '../logs/read/read-log.ts'
import { summarize } from '../scoring/summarize.ts'
import type { RowMarks } from '../bench/runs/marks.ts'
import { readPack } from '../bench/packs/read-pack.ts'
import { prepareBench } from '../bench/runs/bench-tasks.ts'
import { compareEvaluations, packSet, prepareSet, type EvalTasks } from './eval-tasks.ts'

const NICENESS = 5

lowerThreadPriority(NICENESS)

/** The scorers of the evaluation to which this thread belongs. */
let scorers: ReadonlyMap<string, Scorer> = new Map()
let tasks: ReadonlyMap<string, TaskConfig> = new Map()
let archive: LoadedArchive | undefined

serveTasks<EvalTasks>({
  prepare: (input) => packSet(prepareSet(input)),
  readPack: async (input) => await readPack(input),
  readLog: async ({ files, bounds }) => packLog(await readLog(files, bounds)),
  prepareBench: (input) => packSet(prepareBench(input)),
  compare: (input) => compareEvaluations(input),
  openScorers: (set) => {
    scorers = new Map(set.tasks.map((task) => [task.task, createScorer(task)]))
    tasks = new Map(set.tasks.map((task) => [task.task, task]))
    return null
  },
  openArchive: async (bytes) => {
    archive = await loadArchive(bytes)
    return archive.recipe.kind === 'pure'
  },
  run: (rows) =>
    rows.map((row) => {
      const answer = runArtifact(row)
      return { ...answer, ...score(row, answer.responses) }
    }),
  score: (answered) => answered.map(({ row, responses, marks }) => score(row, responses, marks)),
  summarize: ({ set, rows }) => summarize(set, rows),
})

function score(row: PreparedRow, responses: RowResponses, marks?: RowMarks): ScoredRow {
  const scorer = scorers.get(row.task)
  if (scorer === undefined) throw new Error(`there is no task ${row.task}`)
  return scorer(row, responses, marks)
}

function runArtifact(row: PreparedRow): RowAnswer {
  const [request] = row.requests
  const task = tasks.get(row.task)
  if (archive?.recipe.kind !== 'pure' || task === undefined || request?.type !== 'generate_until') {
    throw new Error('an artifact is opened before it runs, and answers generate_until alone')
  }
  try {
    return artifactAnswer(task, archive.guard(request.input, archive.recipe.runner.run(request.input)), 0)
  } catch (error) {
    if (MODEL_ERRORS.recipe_failed.matches(error)) return failedAnswer(task)
    throw error
  }
}

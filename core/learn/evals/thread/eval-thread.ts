import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { loadArchive, type LoadedArchive } from '../../../compile/runtime/load-archive.ts'
import { packResults } from '../../../compile/artifacts/diagnosis/packed-results.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import { packOutcome, packOutcomes, readSample, unpackOutcome, type PackedOutcome } from '../scoring/packed-outcome.ts'
import { createScorer, type Scorer } from '../scoring/score-row.ts'
import { artifactAnswer, failedAnswer } from '../targets/artifact-answer.ts'
import type { RowAnswer } from '../targets/eval-target.ts'
import type { TaskConfig } from '../task/task-config.ts'
import { packLog } from '../logs/read/imported.ts'
import { readLog } from '../logs/read/read-log.ts'
import { summarize, type SummaryRow } from '../scoring/summarize.ts'
import { readPack } from '../bench/packs/read-pack.ts'
import { prepareBench } from '../bench/runs/bench-tasks.ts'
import {
  compareEvaluations,
  packSet,
  prepareSet,
  type AnsweredRow,
  type EvalTasks,
  type SummaryInput,
} from './eval-tasks.ts'

const NICENESS = 5

lowerThreadPriority(NICENESS)

/** The scorers of the evaluation that this thread scores now: the next one opens its own. */
let scorers: ReadonlyMap<string, Scorer> = new Map()
let tasks: ReadonlyMap<string, TaskConfig> = new Map()
let archive: LoadedArchive | undefined
/** The evaluation whose figures this thread computes now, and its rows so far. */
let summary: (SummaryInput & { readonly rows: SummaryRow[] }) | undefined

serveTasks<EvalTasks>({
  prepare: (input) => packSet(prepareSet(input)),
  readPack: async (input) => await readPack(input),
  readLog: async ({ files, bounds }) => packLog(await readLog(files, bounds)),
  prepareBench: (input) => packSet(prepareBench(input)),
  compare: (input) => compareEvaluations(input),
  openScorers: (set) => {
    scorers = new Map(set.tasks.map((task) => [task.task, createScorer(task)]))
    tasks = new Map(set.tasks.map((task) => [task.task, task]))
    archive = undefined
    summary = undefined
    return null
  },
  openArchive: async (bytes) => {
    archive = await loadArchive(bytes)
    return null
  },
  run: (rows) =>
    packOutcomes(
      rows.map(({ place, sample }) => {
        const row = readSample(sample)
        return score({ place, row, answer: runArtifact(row) })
      }),
    ),
  answer: (row) => runArtifact(row),
  score: (answered) => packOutcomes(answered.map(score)),
  openSummary: (input) => {
    summary = { ...input, rows: [] }
    // The thread may have served an evaluation of another tenant before.
    archive = undefined
    scorers = new Map()
    return null
  },
  addRows: (outcomes) => {
    const { rows, namespace, hasResults } = opened()
    const unpacked = outcomes.map((stored) => unpackOutcome(stored, namespace))
    for (const { row } of unpacked) rows.push(row)
    return hasResults ? packResults(unpacked.map(({ result }) => result())) : null
  },
  summarize: () => {
    const { set, rows } = opened()
    summary = undefined
    return summarize(set, rows)
  },
})

function opened() {
  if (summary === undefined) throw new Error('a summary is opened before it gets rows')
  return summary
}

function score({ place, row, answer, marks }: AnsweredRow): PackedOutcome {
  const scorer = scorers.get(row.task)
  if (scorer === undefined) throw new Error(`there is no task ${row.task}`)
  return packOutcome(place, answer, scorer(row, answer.responses, marks), marks)
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

import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { createScorer, type Scorer } from '../scoring/score-row.ts'
import { summarize } from '../scoring/summarize.ts'
import { readPack } from '../../bench/packs/read-pack.ts'
import { prepareBench } from '../../bench/runs/bench-tasks.ts'
import { compareEvaluations, packSet, prepareSet, type EvalTasks } from './eval-tasks.ts'

const NICENESS = 5

lowerThreadPriority(NICENESS)

/** The scorers of the evaluation to which this thread belongs. */
let scorers: ReadonlyMap<string, Scorer> = new Map()

serveTasks<EvalTasks>({
  prepare: (input) => packSet(prepareSet(input)),
  readPack: async (input) => await readPack(input),
  prepareBench: (input) => packSet(prepareBench(input)),
  compare: (input) => compareEvaluations(input),
  openScorers: ({ tasks }) => {
    scorers = new Map(tasks.map((task) => [task.task, createScorer(task)]))
    return null
  },
  score: (answered) =>
    answered.map(({ row, responses, marks }) => {
      const score = scorers.get(row.task)
      if (score === undefined) throw new Error(`there is no task ${row.task}`)
      return score(row, responses, marks)
    }),
  summarize: ({ set, rows }) => summarize(set, rows),
})

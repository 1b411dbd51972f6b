import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { summarize } from '../scoring/summarize.ts'
import { compareEvaluations, prepareSet, type EvalTasks } from './eval-tasks.ts'

const NICENESS = 5

lowerThreadPriority(NICENESS)

serveTasks<EvalTasks>({
  prepare: (input) => prepareSet(input),
  compare: (input) => compareEvaluations(input),
  summarize: ({ set, rows }) => summarize(set, rows),
})

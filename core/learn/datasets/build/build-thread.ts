import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { diffIndexes } from '../index/diff-indexes.ts'
import type { BuildTasks } from './build-task.ts'
import { buildVersion } from './build-version.ts'

serveTasks<BuildTasks>({
  diff: ({ before, after, most }) => diffIndexes(Buffer.from(before.buffer), Buffer.from(after.buffer), most),
  build: async (input, task) => await buildVersion(input, (step, done) => task.tell({ step, done })),
})

import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import type { BuildTasks } from './build-task.ts'
import { buildVersion } from './build-version.ts'

serveTasks<BuildTasks>({
  build: async (input, task) => await buildVersion(input, (step, done) => task.tell({ step, done })),
})

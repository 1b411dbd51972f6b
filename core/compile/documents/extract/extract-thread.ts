import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { extractDocument } from './extract-document.ts'
import type { ExtractTasks } from './extract-task.ts'

const NICENESS = 5

lowerThreadPriority(NICENESS)

serveTasks<ExtractTasks>({ extract: async ({ name, bytes, bounds }) => await extractDocument(name, bytes, bounds) })

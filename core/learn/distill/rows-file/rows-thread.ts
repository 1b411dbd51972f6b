import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { checkRows } from './check-rows.ts'
import type { RowsTasks } from './rows-task.ts'

serveTasks<RowsTasks>({ check: checkRows })

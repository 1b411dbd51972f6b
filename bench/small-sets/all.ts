import { amountTasks } from './amounts.ts'
import { conditionTasks } from './conditions.ts'
import { dateTasks } from './dates.ts'
import type { DrawnTask } from './drawn-task.ts'
import { labelTasks } from './labels.ts'
import { listTasks } from './lists.ts'
import { nameTasks } from './names.ts'
import { objectTasks } from './objects.ts'
import { phoneTasks } from './phones.ts'

/** Every task of which small sets are drawn. */
export const DRAWN_TASKS: readonly DrawnTask[] = [
  ...nameTasks,
  ...dateTasks,
  ...phoneTasks,
  ...amountTasks,
  ...objectTasks,
  ...listTasks,
  ...conditionTasks,
  ...labelTasks,
]

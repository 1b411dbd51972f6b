import type { DrawnTask } from '../small-sets/drawn-task.ts'
import { amountAndDateTasks } from './amounts-and-dates.ts'
import { contactTasks } from './contacts.ts'
import { machineTasks } from './machines.ts'
import { peopleTasks } from './people.ts'

/** Everyday tasks as a user would bring them, written without a look at the operators of the language. */
export const USER_TASKS: readonly DrawnTask[] = [
  ...peopleTasks,
  ...contactTasks,
  ...amountAndDateTasks,
  ...machineTasks,
]

import { dateTasks } from './dates.ts'
import { extractionTasks } from './extraction.ts'
import { numberTasks, rangeTasks, roundingTasks } from './numbers.ts'
import { columnTasks, conditionTasks, labelTasks } from './rules.ts'
import { listTasks, objectTasks } from './structures.ts'
import type { BenchTask } from './task.ts'
import { casingTasks, cleaningTasks, maskingTasks } from './text.ts'

/** Every task of the synthesizer's benchmark. */
export const ALL_TASKS: readonly BenchTask[] = [
  ...dateTasks,
  ...numberTasks,
  ...roundingTasks,
  ...rangeTasks,
  ...casingTasks,
  ...cleaningTasks,
  ...maskingTasks,
  ...extractionTasks,
  ...conditionTasks,
  ...columnTasks,
  ...listTasks,
  ...objectTasks,
  ...labelTasks,
]

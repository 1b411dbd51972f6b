import type { BenchTask } from './task.ts'

/** Rows that determine the tasks of categories for which a few examples are not enough. */
const ROWS: Readonly<Record<string, number>> = {
  labels: 19,
  lookup: 10,
  'office rules': 10,
  ranges: 7,
  comparisons: 6,
}

/** Returns how many rows of a task the search sees. */
export function firstRows({ category }: Pick<BenchTask, 'category'>, rows: number): number {
  return Math.max(rows, ROWS[category] ?? 0)
}

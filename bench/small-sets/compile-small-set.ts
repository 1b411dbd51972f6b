import type { ComputePool } from '../../core/compile/stages/pool/pool.ts'
import { DomainError } from '../../core/kernel/errors.ts'
import { compileRows } from '../harness/compile-rows.ts'
import { drawRows, type DrawnTask } from './drawn-task.ts'

/** Rows that neither the compile nor its evaluation saw. */
const FRESH_ROWS = 200
const FLOOR = 0.85

/** One compile of a few rows, and what its recipe does on fresh ones. */
export interface SmallSet {
  readonly task: string
  readonly rows: number
  /** Kind of the recipe; null when there is none. */
  readonly kind: string | null
  readonly gated: boolean
  readonly accuracy: number | null
  readonly n: number
  readonly low: number | null
  readonly high: number | null
  /** Share of the fresh rows that come out right. */
  readonly fresh: number | null
  /** Whether the interval holds that share; null without a recipe. */
  readonly held: boolean | null
  /** Code of the error that ended the compile. */
  readonly failed: string | null
  readonly ms: number
  /** Processor milliseconds of the search and its folds; null when the compile failed. */
  readonly cpuMs: number | null
}

/** Compiles the first rows of a task by the stages of a compile, and runs the winner on rows drawn after them. */
export async function compileSmallSet(
  pool: ComputePool,
  task: DrawnTask,
  count: number,
  seed: number,
): Promise<SmallSet> {
  const drawn = drawRows(task, count + FRESH_ROWS, seed)
  const rows = drawn.slice(0, count)
  const fresh = drawn.slice(count)
  const none = { kind: null, gated: true, accuracy: null, n: 0, low: null, high: null, fresh: null, held: null }
  const named = { task: `${task.subject}/${task.name}`, rows: count }
  const startedAt = performance.now()
  try {
    const { recipe, cpuMs } = await compileRows(pool, { task: task.name, rows, fresh, floor: FLOOR })
    const ms = performance.now() - startedAt
    if (recipe === null) return { ...named, ...none, failed: null, ms, cpuMs }
    const share = recipe.freshRight / fresh.length
    const { accuracy, n, interval } = recipe.kScore
    return {
      ...named,
      kind: recipe.kind,
      gated: recipe.gated,
      accuracy,
      n,
      low: interval.low,
      high: interval.high,
      fresh: share,
      held: interval.low <= share && share <= interval.high,
      failed: null,
      ms,
      cpuMs,
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { ...named, ...none, failed: error.code, ms: performance.now() - startedAt, cpuMs: null }
  }
}

import { factsOf } from '../../core/compile/rows/intake/example.ts'
import { availableParallelism } from 'node:os'
import type { ComputePool } from '../../core/compile/stages/pool/pool.ts'
import { EXACT } from '../../core/compile/rows/equality/equality.ts'
import { isSameOutput } from '../../core/compile/rows/equality/same-output.ts'
import { freeHelpers } from '../harness/free-helpers.ts'
import { sampleInParts } from '../../core/compile/stages/pool/sample-in-parts.ts'
import { answerOf } from '../../core/compile/stages/scoring/evaluate.ts'
import { openCandidate } from '../../core/compile/stages/candidate.ts'
import { DEFAULT_K } from '../../core/compile/stages/sample/sample-count.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import { DomainError } from '../../core/kernel/errors.ts'
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
  const common = { task: task.name, rows, negatives: [], facts: factsOf(rows) }
  const none = { kind: null, gated: true, accuracy: null, n: 0, low: null, high: null, fresh: null, held: null }
  const named = { task: `${task.subject}/${task.name}`, rows: count }
  const startedAt = performance.now()
  try {
    const sample = await sampleInParts(
      pool,
      { ...common, k: DEFAULT_K, budgetMs: DEFAULT_LIMITS.synthesis_budget_ms },
      {},
      freeHelpers(availableParallelism() - 1),
    )
    const { kScore, chosen, gate, equality = EXACT } = await pool.verify({ ...common, sample, floor: FLOOR })
    const ms = performance.now() - startedAt
    if (kScore === null || chosen === null || chosen.data.kind === 'lora')
      return { ...named, ...none, failed: null, ms, cpuMs: sample.cost.cpu_ms }
    const runner = openCandidate(chosen.data)
    const right = fresh.filter(({ input, output }) => {
      const answer = answerOf(runner, input)
      return answer.error === null && !answer.abstained && isSameOutput(equality, answer.output, output)
    }).length
    const share = right / fresh.length
    const { low, high } = kScore.interval
    return {
      ...named,
      kind: chosen.kind,
      gated: !gate.passed,
      accuracy: kScore.accuracy,
      n: kScore.n,
      low,
      high,
      fresh: share,
      held: low <= share && share <= high,
      failed: null,
      ms,
      cpuMs: sample.cost.cpu_ms,
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { ...named, ...none, failed: error.code, ms: performance.now() - startedAt, cpuMs: null }
  }
}

/**
 * The cost of cross-fitting: the stage `k-sample` with its folds on two cores, against one search over the same rows, for
 * tasks of `bench/small-sets` with 200 rows each: `node bench/compile/cross-fit.ts [--rows 200] [--runs 3] [--only NAME]`.
 * Limit: all folds and the fit on all rows take at most 4 times one search.
 */
import { factsOf } from '../../core/compile/rows/intake/example.ts'
import { parseArgs } from 'node:util'
import { createCores } from '../../core/kernel/threads/cores.ts'
import { createComputePool } from '../../core/compile/stages/pool/pool.ts'
import { freeHelpers } from '../harness/free-helpers.ts'
import { sampleInParts } from '../../core/compile/stages/pool/sample-in-parts.ts'
import { DEFAULT_K } from '../../core/compile/stages/sample/sample-count.ts'
import { SAMPLED_KINDS } from '../../core/compile/stages/sample/sample-part.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import { quantile, report, short } from '../harness/report.ts'
import { DRAWN_TASKS } from '../small-sets/all.ts'
import { drawRows } from '../small-sets/drawn-task.ts'

const CORES = 2
const LIMIT = 4

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '200' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
})
const count = Number(options.rows)
const pool = createComputePool({ threads: CORES, memoryMb: 1024, cores: createCores(CORES).short })

/** Milliseconds of one search over all rows, and of the whole stage. */
async function measure(task: (typeof DRAWN_TASKS)[number], seed: number) {
  const rows = drawRows(task, count, seed)
  const input = {
    task: task.name,
    rows,
    negatives: [],
    facts: factsOf(rows),
    k: DEFAULT_K,
    budgetMs: DEFAULT_LIMITS.synthesis_budget_ms,
  }
  const { split } = await pool.splitSample(input)
  const before = performance.now()
  for (const kind of SAMPLED_KINDS) await pool.samplePart({ input, split, part: { kind, fold: null } })
  const between = performance.now()
  await sampleInParts(pool, input, {}, freeHelpers(CORES - 1))
  return { one: between - before, all: performance.now() - between }
}

const tasks = DRAWN_TASKS.filter(({ name, subject }) => `${subject}/${name}`.includes(options.only ?? ''))
const ratios: number[] = []
let one = 0
let all = 0
try {
  for (const task of tasks) {
    for (let run = 0; run < Number(options.runs); run++) {
      let times
      try {
        times = await measure(task, 1000 + run)
      } catch (error) {
        // A task with fewer inputs than rows is no measure.
        if (error instanceof RangeError) break
        throw error
      }
      ratios.push(times.all / times.one)
      one += times.one
      all += times.all
    }
  }
} finally {
  await pool.close()
}

const together = all / one
await report('cross-fit', [
  { what: 'compiles', value: ratios.length },
  {
    what: 'folds and fit over one search, all compiles together',
    value: short(together),
    limit: LIMIT,
    ratio: short(together / LIMIT),
  },
  { what: 'the same, p50 of compiles', value: short(quantile(ratios, 0.5)) },
  { what: 'the same, p95 of compiles', value: short(quantile(ratios, 0.95)) },
  { what: 'one search, mean ms', value: Math.round(one / ratios.length) },
  { what: 'folds and fit, mean ms', value: Math.round(all / ratios.length) },
])
if (together > LIMIT) process.exitCode = 1

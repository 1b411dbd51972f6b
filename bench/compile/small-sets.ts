/**
 * Calibration of the scores of small sets: tasks of `bench/small-sets` are compiled from 8 to 24 rows, and the
 * recipe that each compile ships (or would ship, where it is gated) answers 200 fresh rows:
 * `node bench/compile/small-sets.ts [--compiles 200] [--seed 1] [--only NAME] [--noisy] [--verbose]`.
 * Limit: of 100 compiles with a recipe, the 95 % interval of at least 90 holds the accuracy on the fresh rows. With `--noisy`, one
 * in ten rows has a wrong answer, the fresh ones too, sets have 12 to 60 rows, and at least 93 intervals hold.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { createCores } from '../../core/kernel/threads/cores.ts'
import { createComputePool } from '../../core/compile/stages/pool/pool.ts'
import { mean } from '../../core/kernel/statistics/means.ts'
import { quantile, report, short } from '../harness/report.ts'
import { DRAWN_TASKS } from '../small-sets/all.ts'
import { NOISY_TASKS } from '../small-sets/noisy.ts'
import { compileSmallSet, type SmallSet } from '../small-sets/compile-small-set.ts'

const CLEAN = { shareHeld: 0.9, rowCounts: [8, 10, 12, 13, 15, 16, 18, 19, 20, 22, 24], tasks: DRAWN_TASKS }
const NOISY = { shareHeld: 0.93, rowCounts: [12, 16, 20, 30, 45, 60], tasks: NOISY_TASKS }

const { values: options } = parseArgs({
  options: {
    compiles: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    noisy: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const compiles = Number(options.compiles)
const seed = Number(options.seed)
const { shareHeld, rowCounts, tasks: all } = options.noisy ? NOISY : CLEAN
const tasks = all.filter(({ name, subject }) => `${subject}/${name}`.includes(options.only ?? ''))

const pool = createComputePool({ threads: availableParallelism(), memoryMb: 1024, cores: createCores().short })
const sets: SmallSet[] = []
try {
  for (let i = 0; i < compiles; i++) {
    const task = tasks[i % tasks.length]
    const rows = rowCounts[(i + Math.floor(i / tasks.length)) % rowCounts.length]
    if (task === undefined || rows === undefined) break
    const set = await compileSmallSet(pool, task, rows, seed * 1000 + Math.floor(i / tasks.length))
    sets.push(set)
    if (options.verbose || set.held === false || set.failed !== null)
      console.log(
        `${set.held === true ? 'held' : (set.failed ?? (set.held === null ? 'no recipe' : 'MISS'))} ${set.task} n=${set.rows} ${set.kind ?? '-'} A=${short(set.accuracy ?? 0)} of ${set.n} in [${short(set.low ?? 0)}, ${short(set.high ?? 0)}], fresh ${set.fresh ?? '-'}, ${Math.round(set.ms)} ms, ${set.cpuMs ?? '-'} ms of a core`,
      )
  }
} finally {
  await pool.close()
}

const scored = sets.filter(({ held }) => held !== null)
const share = scored.filter(({ held }) => held).length / scored.length
const cores = sets.flatMap(({ cpuMs }) => (cpuMs === null ? [] : [cpuMs / 1000]))
const times = sets.map(({ ms }) => ms / 1000)
await report(options.noisy ? 'noisy-sets' : 'small-sets', [
  { what: 'compiles', value: sets.length },
  {
    what: 'compiles without a recipe',
    value: sets.filter(({ held, failed }) => held === null && failed === null).length,
  },
  { what: 'compiles that could not be evaluated', value: sets.filter(({ failed }) => failed !== null).length },
  {
    what: 'interval holds the accuracy on fresh rows, share',
    value: short(share),
    limit: shareHeld,
    ratio: short(share / shareHeld),
  },
  { what: 'mean accuracy on fresh rows', value: short(mean(scored.map(({ fresh }) => fresh ?? 0))) },
  {
    what: 'mean of the stated accuracy less that',
    value: short(mean(scored.map(({ accuracy, fresh }) => (accuracy ?? 0) - (fresh ?? 0)))),
  },
  { what: 'compile p50 s', value: short(quantile(times, 0.5)) },
  { what: 'compile p95 s', value: short(quantile(times, 0.95)), limit: 6, ratio: short(quantile(times, 0.95) / 6) },
  { what: 'search and folds, processor p50 s', value: short(quantile(cores, 0.5)) },
  { what: 'search and folds, processor p95 s', value: short(quantile(cores, 0.95)) },
  { what: 'search and folds, processor max s', value: short(quantile(cores, 1)) },
  { what: 'compile max s', value: short(quantile(times, 1)) },
])
if (share < shareHeld) process.exitCode = 1

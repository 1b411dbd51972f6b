import { availableParallelism } from 'node:os'
import { createCores } from '../../../core/kernel/threads/cores.ts'
import { openThreads } from '../../../core/kernel/threads/threads.ts'
import type { OddRange, OddTasks } from './odd-rows/compile-range.ts'
import type { Attack } from '../attack.ts'

const SETS = 2000
const SETS_PER_TASK = 50

/**
 * Runs the stages of a compile on 2,000 generated sets that are hard to read: long equal parts, odd Unicode, numbers
 * and dates at their extremes, deep and wide values, characters of regular expressions. No set may end as `internal`.
 */
export const oddRows: Attack = {
  name: 'odd-rows',
  async run() {
    const pool = openThreads<OddTasks>({
      file: new URL('./odd-rows/compile-range.ts', import.meta.url),
      name: 'odd rows',
      most: availableParallelism(),
      cores: createCores().short,
    })
    try {
      const ranges = Array.from({ length: SETS / SETS_PER_TASK }, (_, i): OddRange => ({
        from: i * SETS_PER_TASK,
        to: (i + 1) * SETS_PER_TASK,
      }))
      const tallies = await Promise.all(ranges.map(async (range) => await pool.run('compile', range)))
      const failures = tallies.flatMap((tally) => tally.failures)
      for (const failure of failures) console.log(failure)
      return [
        {
          what: 'generated sets',
          value: tallies.reduce((sum, { sets }) => sum + sets, 0),
          limit: SETS,
          bound: 'at-least',
        },
        { what: 'sets that end as internal', value: failures.length, limit: 0, bound: 'at-most' },
      ]
    } finally {
      await pool.close()
    }
  },
}

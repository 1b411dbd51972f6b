import { compileOddSet, stepsFor } from '../../../../test/support/odd-sets/compile-odd-set.ts'
import { serveTasks } from '../../../../core/kernel/threads/serve-tasks.ts'
import { oddSet } from '../../../../test/support/odd-sets/odd-sets.ts'

/** Seeds of generated sets, the last one not included. */
export interface OddRange {
  readonly from: number
  readonly to: number
}

/** Outcomes of the sets of a range. */
export interface OddTally {
  readonly sets: number
  /** Those that ended as `internal`, with what was thrown. */
  readonly failures: readonly string[]
}

/** The task of the threads. */
export interface OddTasks {
  readonly compile: { readonly input: OddRange; readonly output: OddTally }
}

async function compileRange({ from, to }: OddRange): Promise<OddTally> {
  const failures: string[] = []
  for (let seed = from; seed < to; seed++) {
    const set = oddSet(seed)
    const { code, error } = await compileOddSet(set, stepsFor(seed))
    if (code === 'internal')
      failures.push(`${set.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  return { sets: to - from, failures }
}

serveTasks<OddTasks>({ compile: async (range) => await compileRange(range) })

import { isSameOutput } from '../../../compile/rows/equality/same-output.ts'
import { EXACT, type Equality } from '../../../compile/rows/equality/equality.ts'
import { loadArchive, type LoadedArchive } from '../../../compile/runtime/load-archive.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import type { HoldoutRow } from '../../holdout/parse-rows.ts'
import type { ScoreTasks } from './score-task.ts'

/** The archives of one gate, to which this thread belongs. */
const archives = new Map<string, LoadedArchive>()
let equality: Equality = EXACT

lowerThreadPriority()

serveTasks<ScoreTasks>({
  open: async ({ side, archive }) => {
    archives.set(side, await loadArchive(archive))
    return null
  },
  compare: (given) => {
    equality = given.equality
    return null
  },
  score: ({ side, rows }) => {
    const archive = archives.get(side)
    if (archive === undefined) throw new Error('an archive is opened before its rows are scored')
    return Uint8Array.from(rows, (row) => (isRight(archive, row) ? 1 : 0))
  },
})

/** The answer is that of `/v1/run`: what the guard withholds is not right. */
function isRight({ recipe, guard }: LoadedArchive, { input, output }: HoldoutRow): boolean {
  if (recipe.kind !== 'pure') throw new Error('a recipe on a base is scored beside this thread')
  try {
    const answer = guard(input, recipe.runner.run(input))
    return !answer.abstained && isSameOutput(equality, answer.output, output)
  } catch (error) {
    if (!(error instanceof DomainError) || error.facts.status >= 500) throw error
    return false
  }
}

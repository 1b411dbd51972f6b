import { runActivity } from '../run-activity.ts'
import type { ActivityLog } from '../activity-log.ts'
import { choreNamed, RUN_S, stillSeconds, type Chore, type Counts } from './chore.ts'

/** Runs one chore as an activity. */
export async function runChore<Deps extends { readonly log: ActivityLog }>(
  deps: Deps,
  chores: readonly Chore<Deps>[],
  name: string,
): Promise<Counts> {
  const chore = choreNamed(chores, name)
  return await runActivity(
    deps.log,
    async ({ signal: cancelled, progress }) => {
      const signal = AbortSignal.any([cancelled, AbortSignal.timeout(RUN_S * 1000)])
      const counts = await chore.run(deps, { signal, progress })
      cancelled.throwIfAborted()
      return counts
    },
    { stillMs: stillSeconds(chore) * 1000 },
  )
}

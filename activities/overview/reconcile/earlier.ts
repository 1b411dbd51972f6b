import type { Limits } from '../../../core/overview/limits.ts'
import type { Chore, ChoreActivity, Counts } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'
import { SWEEPS } from '../housekeeping/sweeps.ts'
import { RECONCILE_CHORES, type ReconcileAllDeps } from './chores.ts'

/** Time for all of it: well below the limit of the activities. */
const ALL_MS = 60_000

/** Does all chores of `reconcile` in one activity, for runs of earlier versions. Returns the sums of their counts. */
export async function reconcileInTurn(deps: ReconcileAllDeps, activity: ChoreActivity): Promise<Counts> {
  const sums: Record<string, number> = { admitted: 0, started: 0, restarted: 0, finished: 0, failed: 0 }
  await inTurn(deps, RECONCILE_CHORES, activity, (_, counts) => {
    for (const [what, count] of Object.entries(counts ?? { failed: 1 })) sums[what] = (sums[what] ?? 0) + count
  })
  return sums
}

/** Does all sweeps in one activity, for runs of earlier versions. Returns the rows of each, -1 for a failed one. */
export async function sweepInTurn(deps: ReconcileDeps<Limits>, activity: ChoreActivity): Promise<Counts> {
  const report: Record<string, number> = {}
  await inTurn(deps, SWEEPS, activity, (name, counts) => {
    report[name] = counts === null ? -1 : (counts['swept'] ?? 0)
  })
  return report
}

/** Does one chore after another, also after a failed one. Throws when the activity is aborted. */
async function inTurn<Deps extends ReconcileDeps<Limits>>(
  deps: Deps,
  chores: readonly Chore<Deps>[],
  { signal: cancelled, progress }: ChoreActivity,
  note: (name: string, counts: Counts | null) => void,
): Promise<void> {
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(ALL_MS)])
  for (const { name, run } of chores) {
    if (signal.aborted) break
    try {
      note(name, await run(deps, { signal, progress }))
    } catch (error) {
      deps.log.warn({ err: error, chore: name }, 'a chore failed; the next tick tries again')
      note(name, null)
    }
    progress()
  }
  cancelled.throwIfAborted()
}

import type { Chore, Counts } from '../../../activities/kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../../activities/kernel/reconcile/deps.ts'
import { SWEEPS } from '../../../activities/overview/housekeeping/sweeps.ts'
import { RECONCILE_CHORES, type ReconcileAllDeps } from '../../../activities/overview/reconcile/chores.ts'
import type { Limits } from '../../../core/limits.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { sweepTable, TABLE_SWEEPS } from '../../../db/kernel/tables/sweeps.ts'

async function runAll<Deps>(chores: readonly Chore<Deps>[], deps: Deps): Promise<Record<string, Counts>> {
  const report: Record<string, Counts> = {}
  for (const { name, run } of chores) {
    report[name] = await run(deps, { signal: new AbortController().signal, progress: () => undefined })
  }
  return report
}

/** Does all sweeps of housekeeping one after the other; answers how many rows each removed. */
export async function sweepAll(deps: ReconcileDeps<Limits>): Promise<Record<string, number>> {
  const report = await runAll(SWEEPS, deps)
  return Object.fromEntries(Object.entries(report).map(([name, counts]) => [name, counts['swept'] ?? 0]))
}

/** Reconciles one family; answers what it did. */
export async function reconcileOne(deps: ReconcileAllDeps, family: string): Promise<Counts> {
  const chores = RECONCILE_CHORES.filter(({ name }) => name === family)
  return (await runAll(chores, deps))[family] ?? {}
}

/** Does one sweep of expired rows as if they were kept since `before`; answers how many rows it removed. */
export async function sweepNamed(db: Database, name: string, before: Date, signal?: AbortSignal): Promise<number> {
  let swept = 0
  for (const sweep of TABLE_SWEEPS.filter((each) => each.name === name)) {
    swept += await sweepTable(db, sweep, before, signal)
  }
  return swept
}

import type { Limits } from '../../../core/overview/limits.ts'
import { keptSince, sweepTable, TABLE_SWEEPS, type TableSweep } from '../../../db/kernel/tables/sweeps.ts'
import type { Chore } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'
import { unclaimedRequests } from './unclaimed-requests.ts'
import { SPECIAL_SWEEPS, SWEEPS_OF_NO_TABLE, type Sweeping } from './special-sweeps.ts'

/** Makes a sweep a chore; the sweep returns how many rows it removed. */
function chore(name: string, summary: string, run: (on: Sweeping) => Promise<number>): Chore<ReconcileDeps<Limits>> {
  return {
    name,
    summary,
    run: async (deps, { signal }) => {
      const at = deps.now()
      const since: Sweeping['keptSince'] = (keptDays) => keptSince({ name, keptDays }, at, deps.limits)
      return { swept: await run({ ...deps, at, keptSince: since, signal }) }
    },
  }
}

async function sweepAll(on: Sweeping, sweeps: readonly TableSweep[]): Promise<number> {
  let swept = 0
  for (const sweep of sweeps) {
    const before = on.keptSince(sweep.keptDays ?? 0)
    swept += await (SPECIAL_SWEEPS[sweep.name]?.(on, before) ?? sweepTable(on.db, sweep, before, on.signal))
  }
  return swept
}

const SPECIAL_NAMES = Object.keys(SPECIAL_SWEEPS)

/** The sweeps by name, those of expired rows first: space that others release is collected last. */
const BY_NAME = [...Map.groupBy(TABLE_SWEEPS, ({ name }) => name)].toSorted(
  ([a], [b]) => SPECIAL_NAMES.indexOf(a) - SPECIAL_NAMES.indexOf(b),
)

/** The sweeps of housekeeping, four at a time in this order. */
export const SWEEPS: readonly Chore<ReconcileDeps<Limits>>[] = [
  ...Object.entries(SWEEPS_OF_NO_TABLE).map(([name, { summary, run }]) =>
    chore(name, summary, async (on) => await run(on, on.at)),
  ),
  unclaimedRequests,
  ...BY_NAME.map(([name, sweeps]) => chore(name, sweeps[0]?.summary ?? name, async (on) => await sweepAll(on, sweeps))),
]

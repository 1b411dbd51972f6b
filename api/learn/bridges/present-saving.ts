import { READY_ROWS } from '../../../core/learn/traffic/cluster.ts'
import { monthlySaving, SAVING_FORMULA } from '../../../core/learn/traffic/saving.ts'
import type { Suggestion } from '../../../core/learn/wire/bridges.ts'
import type { Cluster } from '../../../db/learn/traffic/list-clusters.ts'

/** Presents what a cluster may save, and what a compile of it still needs. */
export function presentSaving(
  { figures, compile, approved }: Cluster,
  now: Date,
): Pick<Suggestion, 'approved' | 'approvals_missing' | 'est_savings_per_month_usd' | 'saving'> {
  const { usd, costUsd, observedDays, hitRate, runCostUsd } = monthlySaving(figures, compile?.accuracy ?? null, now)
  return {
    approved,
    approvals_missing: Math.max(0, READY_ROWS - approved),
    est_savings_per_month_usd: usd,
    saving: {
      usd_per_month: usd,
      formula: SAVING_FORMULA,
      cost_usd: costUsd,
      observed_days: observedDays,
      hit_rate: hitRate,
      run_cost_usd: runCostUsd,
    },
  }
}

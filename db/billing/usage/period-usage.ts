import { sql } from 'kysely'
import type { CountMeters, MeterAmounts, MeterMonth } from '../../../core/billing/ports.ts'
import type { MeterId } from '../../../core/billing/meters.ts'
import { seatsUsed } from '../../accounts/members/seats.ts'
import type { Operation } from '../../kernel/operation.ts'
import { periodOf } from '../quota/period.ts'
import { usedUnits } from '../quota/units.ts'

/** A tenant's usage in one calendar month (UTC). */
export interface PeriodUsage {
  readonly period: string
  /** By meter. Figures of the present state are absent for past months. */
  readonly meters: MeterAmounts
  /** Units taken from the quota. */
  readonly used: number
  /** Units charged by day; days without usage are absent. */
  readonly days: readonly { readonly day: string; readonly used: number }[]
}

/**
 * Returns the tenant's usage in a month, `YYYY-MM`, with what `counts` count of the rows of later areas. Calls of the last
 * second may be missing.
 */
export async function periodUsage(
  op: Operation,
  period: string,
  counts: readonly CountMeters<Operation>[],
): Promise<PeriodUsage> {
  const now = op.now()
  const month = monthOf(period, now)
  const [summed, seats, used, ...counted] = await Promise.all([
    op.read((q) =>
      q
        .selectFrom('usage_days')
        .select([
          'unit',
          'day',
          sql<number>`sum(quantity)::bigint`.as('quantity'),
          sql<number>`sum(cost_usd_micros)::bigint`.as('costUsdMicros'),
        ])
        .where('tenant_id', '=', op.tenantId)
        .where('day', 'like', `${period}-%`)
        .groupBy(['unit', 'day'])
        .orderBy('day'),
    ),
    month.isCurrent ? seatsUsed(op, op.tenantId, now) : null,
    usedUnits(op, { tenantId: op.tenantId, period }),
    ...counts.map(async (count) => await count(op, month)),
  ])
  const total = (unit: MeterId): number =>
    summed.filter((row) => row.unit === unit).reduce((sum, row) => sum + row.quantity, 0)
  const kept: Partial<Record<MeterId, number>> = seats === null ? {} : { team_seats: seats }
  for (const amounts of counted) Object.assign(kept, amounts)
  const costUsdMicros = summed.reduce((sum, row) => sum + row.costUsdMicros, 0)
  return {
    period,
    meters: {
      captured_events: total('captured_events'),
      capture_count: total('captured_events'),
      builds: total('builds'),
      distillation_jobs: total('distillation_jobs'),
      hosted_inference: total('hosted_inference'),
      gateway_calls: total('gateway_calls'),
      gateway_calls_estimated: total('gateway_calls_estimated'),
      artifact_signing: total('artifact_signing'),
      optimization_runs: total('optimization_runs'),
      distill_synth_count: total('distill_synth_count'),
      bakeoff_runs: total('bakeoff_runs'),
      tokens_in: total('tokens_in'),
      tokens_out: total('tokens_out'),
      spend_usd: costUsdMicros / 1_000_000,
      quota_units: total('quota_units'),
      ...kept,
    },
    used,
    days: summed.filter((row) => row.unit === 'quota_units').map((row) => ({ day: row.day, used: row.quantity })),
  }
}

/** Returns a month, `YYYY-MM`, from its first moment until that of the next one. */
function monthOf(period: string, now: Date): MeterMonth {
  const from = new Date(`${period}-01T00:00:00Z`)
  const until = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1))
  return { from, until, isCurrent: period === periodOf(now) }
}

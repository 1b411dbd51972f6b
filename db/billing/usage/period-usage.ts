import { sql } from 'kysely'
import type { MeterId } from '../../../core/billing/meters.ts'
import { seatsUsed } from '../../accounts/members/seats.ts'
import type { Operation } from '../../kernel/operation.ts'
import { periodOf } from '../quota/period.ts'
import { usedUnits } from '../quota/units.ts'

/** A tenant's usage in one calendar month (UTC). */
export interface PeriodUsage {
  readonly period: string
  /** By meter. Figures of the present state are absent for past months. */
  readonly meters: Readonly<Partial<Record<MeterId, number>>>
  /** Units taken from the quota. */
  readonly used: number
  /** Units charged by day; days without usage are absent. */
  readonly days: readonly { readonly day: string; readonly used: number }[]
}

/** Returns the tenant's usage in a month, `YYYY-MM`. Calls of the last second may be missing. */
export async function periodUsage(op: Operation, period: string): Promise<PeriodUsage> {
  const [summed, counted, kept, used] = await Promise.all([
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
    countInPeriod(op, period),
    period === periodOf(op.now()) ? countNow(op) : {},
    usedUnits(op, { tenantId: op.tenantId, period }),
  ])
  const total = (unit: MeterId): number =>
    summed.filter((row) => row.unit === unit).reduce((sum, row) => sum + row.quantity, 0)
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
      ...counted,
      ...kept,
    },
    used,
    days: summed.filter((row) => row.unit === 'quota_units').map((row) => ({ day: row.day, used: row.quantity })),
  }
}

/** Returns the first moment of a month, and of the next one. */
function boundsOf(period: string): { readonly from: Date; readonly until: Date } {
  const from = new Date(`${period}-01T00:00:00Z`)
  return { from, until: new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1)) }
}

async function countInPeriod(op: Operation, period: string): Promise<Partial<Record<MeterId, number>>> {
  const { from, until } = boundsOf(period)
  const [row] = await op.read((q) =>
    q
      .selectFrom('compile_jobs')
      .select(q.fn.countAll<number>().as('jobs'))
      .where('tenant_id', '=', op.tenantId)
      .where('created_at', '>=', from)
      .where('created_at', '<', until),
  )
  return { compile_jobs: row?.jobs ?? 0 }
}

async function countNow(op: Operation): Promise<Partial<Record<MeterId, number>>> {
  const now = op.now()
  const [[row], seats] = await Promise.all([
    op.read((q) =>
      q
        .selectFrom('artifacts')
        .select((of) => [
          of.fn.countAll<number>().as('artifacts'),
          sql<number>`coalesce(sum(size_bytes), 0)::bigint`.as('bytes'),
          of
            .selectFrom('control_events')
            .select(of.fn.countAll<number>().as('count'))
            .where('tenant_id', '=', op.tenantId)
            .$asScalar()
            .$notNull()
            .as('events'),
        ])
        .where('tenant_id', '=', op.tenantId)
        .where('revoked_at', 'is', null)
        .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', now)])),
    ),
    seatsUsed(op, op.tenantId, now),
  ])
  const { artifacts = 0, bytes = 0, events = 0 } = row ?? {}
  return { private_registry_artifacts: artifacts, storage_bytes: bytes, stored_events: events, team_seats: seats }
}

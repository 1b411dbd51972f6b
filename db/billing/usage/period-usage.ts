import type { MeterId } from '../../../core/billing/meters.ts'
import { seatsUsed } from '../../accounts/members/seats.ts'
import type { Operation } from '../../kernel/operation.ts'
import { periodOf } from '../quota/period.ts'
import { usedUnits } from '../quota/units.ts'

/** What a tenant used in one calendar month (UTC). */
export interface PeriodUsage {
  readonly period: string
  /** By meter. Of a month that is over, what is counted as it stands now is left out. */
  readonly meters: Readonly<Partial<Record<MeterId, number>>>
  /** Units taken from the quota. */
  readonly used: number
  /** Units charged by day; days without use are left out. */
  readonly days: readonly { readonly day: string; readonly used: number }[]
}

/** What the tenant used in a month, `YYYY-MM`. Calls of the last second may be missing. */
export async function periodUsage(op: Operation, period: string): Promise<PeriodUsage> {
  const [summed, counted, kept, used] = await Promise.all([
    op.db.query<{ unit: string; day: string; quantity: number; costUsdMicros: number }>(
      `select unit, day, sum(quantity)::bigint as quantity, sum(cost_usd_micros)::bigint as "costUsdMicros"
       from usage_days where tenant_id = $1 and day like $2 group by unit, day order by day`,
      [op.tenantId, `${period}-%`],
    ),
    countInPeriod(op, period),
    period === periodOf(op.now()) ? countNow(op) : {},
    usedUnits(op.db, { tenantId: op.tenantId, period }),
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
      artifact_signing: total('artifact_signing'),
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

/** First moment of a month, and of the next one. */
function boundsOf(period: string): { readonly from: Date; readonly until: Date } {
  const from = new Date(`${period}-01T00:00:00Z`)
  return { from, until: new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1)) }
}

async function countInPeriod(op: Operation, period: string): Promise<Partial<Record<MeterId, number>>> {
  const { from, until } = boundsOf(period)
  const [row] = await op.db.query<{ jobs: number }>(
    'select count(*) as jobs from compile_jobs where tenant_id = $1 and created_at >= $2 and created_at < $3',
    [op.tenantId, from, until],
  )
  return { compile_jobs: row?.jobs ?? 0 }
}

async function countNow(op: Operation): Promise<Partial<Record<MeterId, number>>> {
  const now = op.now()
  const [[row], seats] = await Promise.all([
    op.db.query<{ artifacts: number; bytes: number; events: number }>(
      `select count(*) as artifacts, coalesce(sum(size_bytes), 0)::bigint as bytes,
         (select count(*) from control_events where tenant_id = $1) as events
       from artifacts where tenant_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
      [op.tenantId, now],
    ),
    seatsUsed(op, op.tenantId, now),
  ])
  const { artifacts = 0, bytes = 0, events = 0 } = row ?? {}
  return { private_registry_artifacts: artifacts, storage_bytes: bytes, stored_events: events, team_seats: seats }
}

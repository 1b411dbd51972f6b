import type { Operation } from '../../kernel/operation.ts'

/** What a tenant did in the last 30 days. */
export interface Usage30d {
  readonly compiles30d: number
  readonly calls30d: number
}

const SPAN_MS = 30 * 86_400_000

/** Compiles that were accepted and calls that were answered in the last 30 days; calls count by full hours. */
export async function usage30d(op: Operation): Promise<Usage30d> {
  const since = new Date(op.now().getTime() - SPAN_MS)
  const [row] = await op.db.query<Usage30d>(
    `select
       (select count(*) from compile_jobs where tenant_id = $1 and created_at >= $2) as "compiles30d",
       (select coalesce(sum(calls), 0)::bigint from invocation_stats
        where tenant_id = $1 and hour >= date_trunc('hour', $2::timestamptz)) as "calls30d"`,
    [op.tenantId, since],
  )
  return row ?? { compiles30d: 0, calls30d: 0 }
}

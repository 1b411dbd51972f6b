import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'

/** A tenant's activity of the last 30 days. */
export interface Usage30d {
  readonly compiles30d: number
  readonly calls30d: number
}

const SPAN_MS = 30 * 86_400_000

/** Returns the accepted compiles and answered calls of the last 30 days; calls count by full hours. */
export async function usage30d(op: Operation): Promise<Usage30d> {
  const since = new Date(op.now().getTime() - SPAN_MS)
  const [row] = await op.read((q) =>
    q.selectNoFrom((of) => [
      of
        .selectFrom('compile_jobs')
        .select(of.fn.countAll<number>().as('count'))
        .where('tenant_id', '=', op.tenantId)
        .where('created_at', '>=', since)
        .$asScalar()
        .$notNull()
        .as('compiles30d'),
      of
        .selectFrom('invocation_stats')
        .select(sql<number>`coalesce(sum(calls), 0)::bigint`.as('calls'))
        .where('tenant_id', '=', op.tenantId)
        .where('hour', '>=', sql<Date>`date_trunc('hour', ${since}::timestamptz)`)
        .$asScalar()
        .$notNull()
        .as('calls30d'),
    ]),
  )
  return row ?? { compiles30d: 0, calls30d: 0 }
}

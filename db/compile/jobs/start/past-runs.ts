import { sql } from 'kysely'
import type { Operation } from '../../../kernel/operation.ts'

/** A finished compile as a data point: its number of rows and its result. */
export interface PastRun {
  readonly rows: number
  readonly kScore: number
  readonly isReady: boolean
  readonly costUsdMicros: number
  readonly durationMs: number
}

/** Lists the tenant's newest finished compiles that have a score and that the caller may see, at most `limit`. */
export async function listPastRuns(op: Operation, limit: number): Promise<readonly PastRun[]> {
  return await op.read((q) =>
    q
      .selectFrom('compile_jobs')
      .select([
        'row_count as rows',
        sql<number>`k_score`.as('kScore'),
        sql<boolean>`status = 'ready'`.as('isReady'),
        'cost_usd_micros as costUsdMicros',
        sql<number>`(extract(epoch from finished_at - started_at) * 1000)::double precision`.as('durationMs'),
      ])
      .where('tenant_id', '=', op.tenantId)
      .where('status', 'in', ['ready', 'gated'])
      .where('k_score', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(limit),
  )
}

import { boundsOf, specInBounds } from '../../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../../kernel/operation.ts'

/** A finished compile as a data point: how many rows, and what came of them. */
export interface PastRun {
  readonly rows: number
  readonly kScore: number
  readonly isReady: boolean
  readonly costUsdMicros: number
  readonly durationMs: number
}

/** The tenant's newest finished compiles that have a score and that the caller may see, at most `limit`. */
export async function listPastRuns(op: Operation, limit: number): Promise<readonly PastRun[]> {
  return await op.db.query<PastRun>(
    `select row_count as rows, k_score as "kScore", status = 'ready' as "isReady", cost_usd_micros as "costUsdMicros",
       (extract(epoch from finished_at - started_at) * 1000)::double precision as "durationMs"
     from compile_jobs
     where tenant_id = $1 and status in ('ready', 'gated') and k_score is not null
       and ${specInBounds('compile_jobs', 3)}
     order by created_at desc limit $2`,
    [op.tenantId, limit, boundsOf(op)],
  )
}

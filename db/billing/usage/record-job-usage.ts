import type { MeterId } from '../../../core/billing/meters.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import { dayOf, recordUsage, type UsageRow } from './record-usage.ts'

interface JobUse {
  readonly tenantId: string
  readonly namespace: string
  readonly teamId: string
  readonly memberId: string
  readonly units: number
  readonly createdAt: Date
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsdMicros: number
}

/**
 * Writes down what a job that ends has used, in the transaction that ends it: the build and its units when it brought
 * an artifact, and what its teacher took however it ended. All of it counts on the day on which the job was accepted,
 * where its units were taken from.
 */
export async function recordJobUsage(
  sql: SqlRunner,
  input: { readonly jobId: string; readonly isReady: boolean },
): Promise<void> {
  const [job] = await sql.query<JobUse>(
    `select q.tenant_id as "tenantId", q.namespace, q.team_id as "teamId", q.member_id as "memberId", q.units,
       q.created_at as "createdAt", coalesce(s.input, 0)::bigint as "inputTokens",
       coalesce(s.output, 0)::bigint as "outputTokens", coalesce(s.cost, 0)::bigint as "costUsdMicros"
     from quota_reservations q
     left join lateral (
       select sum(input_tokens) as input, sum(output_tokens) as output, sum(cost_usd_micros) as cost
       from teacher_samples where job_id = q.job_id and not is_reused
     ) s on true
     where q.job_id = $1`,
    [input.jobId],
  )
  if (job === undefined) return
  const used: [MeterId, quantity: number, costUsdMicros: number][] = []
  if (input.isReady) used.push(['builds', 1, 0], ['artifact_signing', 1, 0], ['quota_units', job.units, 0])
  if (job.inputTokens > 0) {
    used.push(
      ['distillation_jobs', 1, job.costUsdMicros],
      ['tokens_in', job.inputTokens, 0],
      ['tokens_out', job.outputTokens, 0],
    )
  }
  await recordUsage(
    sql,
    used.map(([unit, quantity, costUsdMicros]): UsageRow => ({
      tenantId: job.tenantId,
      day: dayOf(job.createdAt),
      unit,
      namespace: job.namespace,
      teamId: job.teamId,
      memberId: job.memberId,
      quantity,
      costUsdMicros,
      latencySumUs: 0,
    })),
  )
}

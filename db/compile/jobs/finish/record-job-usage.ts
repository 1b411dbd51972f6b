import { sql } from 'kysely'
import type { MeterId } from '../../../../core/billing/meters.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { dayOf, recordUsage, type UsageRow } from '../../../billing/usage/record-usage.ts'

const usageOfJob = prepared((q, { jobId }: { readonly jobId: string }) =>
  q
    .selectFrom('quota_reservations as q')
    .leftJoinLateral(
      (of) =>
        of
          .selectFrom('teacher_samples')
          .select([
            sql<number>`sum(input_tokens)`.as('input'),
            sql<number>`sum(output_tokens)`.as('output'),
            sql<number>`sum(cost_usd_micros)`.as('cost'),
          ])
          .whereRef('job_id', '=', 'q.job_id')
          .where('is_reused', '=', false)
          .as('s'),
      (on) => on.onTrue(),
    )
    .select([
      'q.tenant_id as tenantId',
      'q.namespace',
      'q.team_id as teamId',
      'q.member_id as memberId',
      'q.units',
      'q.created_at as createdAt',
      sql<number>`coalesce(s.input, 0)::bigint`.as('inputTokens'),
      sql<number>`coalesce(s.output, 0)::bigint`.as('outputTokens'),
      sql<number>`coalesce(s.cost, 0)::bigint`.as('costUsdMicros'),
    ])
    .where('q.job_id', '=', jobId),
)

/**
 * Records the usage of a job in the transaction that ends it: the build and its units when it produced an artifact, and
 * its teacher's usage in any case. All of it counts on the day on which the job was accepted, from whose month its
 * units were taken.
 */
export async function recordJobUsage(
  tx: Transaction,
  input: { readonly jobId: string; readonly isReady: boolean; readonly withTeacher?: boolean },
): Promise<void> {
  const [job] = await tx.send(usageOfJob({ jobId: input.jobId }))
  if (job === undefined) return
  const used: [MeterId, quantity: number, costUsdMicros: number][] = []
  if (input.isReady) used.push(['builds', 1, 0], ['artifact_signing', 1, 0], ['quota_units', job.units, 0])
  if (job.inputTokens > 0 && input.withTeacher !== false) {
    used.push(
      ['distillation_jobs', 1, job.costUsdMicros],
      ['tokens_in', job.inputTokens, 0],
      ['tokens_out', job.outputTokens, 0],
    )
  }
  await recordUsage(
    tx,
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

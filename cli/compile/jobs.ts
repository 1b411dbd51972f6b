import { ListCompilesAnswer } from '../../core/compile/wire/jobs/jobs.ts'
import type { CliContext } from '../context.ts'
import { formatTable, formatTime } from '../terminal/table.ts'

/** `svc jobs`. */
export async function listJobs(context: CliContext, options: { readonly limit: number }): Promise<void> {
  const client = await context.client()
  const answer = await client.call(`/v1/compile?limit=${options.limit}`, ListCompilesAnswer)
  context.output.result(answer, () =>
    answer.jobs.length === 0
      ? 'no jobs yet: svc compile makes one'
      : formatTable(
          ['job', 'status', 'stage', 'K', 'MB', 'created'],
          answer.jobs.map((job) => [
            job.id,
            job.status,
            job.stage,
            job.k_score?.toFixed(3) ?? '',
            job.size_mb?.toFixed(3) ?? '',
            formatTime(job.created_at),
          ]),
        ),
  )
}

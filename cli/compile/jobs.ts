import { JobView } from '../../core/compile/wire/jobs/job.ts'
import { ListCompilesAnswer } from '../../core/compile/wire/jobs/jobs.ts'
import type { CliContext } from '../context.ts'
import { progressLabel } from '../terminal/labels.ts'
import { formatMegabytes, formatTable, formatTime, plainText } from '../terminal/table.ts'

/** Characters of a task that a line of the list shows. */
const TASK_CHARS = 40

/** `svc jobs`. */
export async function listJobs(context: CliContext, options: { readonly limit: number }): Promise<void> {
  const client = await context.client()
  const answer = await client.call(`/v1/compile?limit=${options.limit}`, ListCompilesAnswer)
  context.output.result(answer, () =>
    answer.jobs.length === 0
      ? 'no jobs yet: svc compile starts one'
      : formatTable(
          ['job', 'status', 'K', 'size', 'created', 'task'],
          answer.jobs.map((job) => [
            job.id,
            progressLabel(job),
            job.k_score?.toFixed(3) ?? '',
            job.size_mb === undefined ? '' : formatMegabytes(job.size_mb),
            formatTime(job.created_at),
            shorten(plainText(job.task)),
          ]),
        ),
  )
}

/** `svc cancel`: ends a job that has not finished. Throws `CliError` for one that has. */
export async function cancelJob(context: CliContext, jobId: string): Promise<void> {
  const client = await context.client()
  const job = await client.call(`/v1/compile/${encodeURIComponent(jobId)}/cancel`, JobView, { method: 'POST' })
  context.output.result(job, () => `${job.id} ${job.status_label}`)
}

function shorten(text: string): string {
  if (text.length <= TASK_CHARS) return text
  // No surrogate pair is cut in two.
  return `${text.slice(0, TASK_CHARS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

import type { z } from 'zod'
import { statusInFull } from '../../../core/compile/rows/task.ts'
import type { Accepted } from '../../../core/compile/wire/jobs/accepted.ts'
import type { CreatedJob } from '../../../db/compile/jobs/create-job.ts'

/** Presents an accepted job; a repeated call gets the same answer, with the status that the job has by now. */
export function presentAccepted({ job, hookSecret }: Pick<CreatedJob, 'job' | 'hookSecret'>): z.input<typeof Accepted> {
  return {
    job_id: job.id,
    status: statusInFull(job.status),
    poll: `/v1/compile/${job.id}`,
    stream_url: `/v1/compile/stream/${job.id}`,
    ...(hookSecret !== null && { deploy_hook_secret: hookSecret }),
  }
}

import { z } from 'zod'
import { JobId } from '../../../core/kernel/wire/ids.ts'

/** An accepted job, and where to ask for it. */
export const Accepted = z
  .object({
    job_id: JobId,
    status: z.literal('queued'),
    poll: z.string().meta({ description: 'Path of the status document' }),
    stream_url: z.string().meta({ description: 'Path of the progress stream' }),
  })
  .meta({ id: 'AcceptedJob' })

/** What every accepted job is answered with; a repeated call gets the same. */
export function presentAccepted(jobId: string): z.input<typeof Accepted> {
  return { job_id: jobId, status: 'queued', poll: `/v1/compile/${jobId}`, stream_url: `/v1/compile/stream/${jobId}` }
}

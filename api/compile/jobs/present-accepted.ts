import type { z } from 'zod'
import type { Accepted } from '../../../core/compile/wire/jobs/accepted.ts'

/** Presents an accepted job; a repeated call gets the same answer. */
export function presentAccepted(jobId: string): z.input<typeof Accepted> {
  return { job_id: jobId, status: 'queued', poll: `/v1/compile/${jobId}`, stream_url: `/v1/compile/stream/${jobId}` }
}

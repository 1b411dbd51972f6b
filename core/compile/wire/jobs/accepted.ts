import { z } from 'zod'
import { JobId } from '../../../kernel/wire/ids.ts'

/** An accepted job, and where to ask for it. */
export const Accepted = z
  .object({
    job_id: JobId,
    status: z.literal('queued'),
    poll: z.string().meta({ description: 'Path of the status document' }),
    stream_url: z.string().meta({ description: 'Path of the progress stream' }),
  })
  .meta({ id: 'AcceptedJob' })

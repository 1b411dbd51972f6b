import { z } from 'zod'
import { STATUSES_IN_FULL } from '../../rows/task.ts'
import { JobId } from '../../../kernel/wire/ids.ts'

/** An accepted job, and where to ask for it. */
export const Accepted = z
  .object({
    job_id: JobId,
    status: z.enum(STATUSES_IN_FULL).meta({
      description:
        '`queued`; in the answer of a call that repeats an earlier one under its `Idempotency-Key`, the status of that job now',
    }),
    poll: z.string().meta({ description: 'Path of the status document' }),
    deploy_hook_secret: z.string().optional().meta({
      description:
        'Present where the call set a deploy hook: `whsec_…`, which verifies its signature. Shown in this answer only, and in that of a call which repeats it under the same `Idempotency-Key` before the delivery has ended',
    }),
    stream_url: z.string().meta({ description: 'Path of the progress stream' }),
  })
  .meta({ id: 'AcceptedJob' })

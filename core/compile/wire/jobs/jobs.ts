import { z } from 'zod'
import { JobSummaryView } from './job.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

/** Answer of `GET /v1/compile`. */
export const ListCompilesAnswer = z.object({ jobs: z.array(JobSummaryView), next_cursor: NextCursor })

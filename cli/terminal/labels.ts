import type { z } from 'zod'
import { STAGE_LABELS } from '../../core/compile/rows/task.ts'
import type { JobSummaryView } from '../../core/compile/wire/jobs/job.ts'

type Job = z.infer<typeof JobSummaryView>

/** Returns the state of a job in words, with its stage while it runs. */
export function progressLabel({ status, stage }: Pick<Job, 'status' | 'stage'>): string {
  return status === 'running' ? `${status}, ${STAGE_LABELS[stage].toLowerCase()}` : status
}

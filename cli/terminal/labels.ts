import type { JobSummaryView, JobView } from '../../core/compile/wire/jobs/job.ts'
import type { z } from 'zod'

type Job = z.infer<typeof JobSummaryView>

/** The stages of a compile in words. Stages of less than a moment have none: the state says enough. */
const STAGE_LABELS: Readonly<Partial<Record<Job['stage'], string>>> = {
  'k-sample': 'searching',
  verify: 'verifying',
  'lora-fit': 'fitting an adapter',
  bundle: 'bundling',
  sign: 'signing',
}

/** The state of a job in words. A job's own document says `completed` of one that is ready. */
export function stateLabel(status: Job['status'] | JobView['status']): string {
  return status === 'completed' ? 'ready' : status
}

/** The state of a job, with its stage while it runs. */
export function progressLabel({ status, stage }: Pick<Job, 'status' | 'stage'>): string {
  const label = status === 'running' ? STAGE_LABELS[stage] : undefined
  return label === undefined ? stateLabel(status) : `${stateLabel(status)}, ${label}`
}

import { endOfOpenStep, type JobStatus } from '../../../../core/compile/rows/task.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { NewJobEvent } from '../../progress/events/append-event.ts'
import type { LockedJob } from '../lock-job.ts'

const openStages = prepared((q, { jobId }: { readonly jobId: string }) =>
  q
    .selectFrom('job_stages')
    .select('stage')
    .where('job_id', '=', jobId)
    .where('completed_at', 'is', null)
    .orderBy('started_at'),
)

/** Returns `step.end` events for the begun steps, so that every `step.start` in a log has its `step.end`. */
export async function closeSteps(tx: Transaction, job: LockedJob, status: JobStatus): Promise<readonly NewJobEvent[]> {
  if (job.status === 'queued') {
    return [{ kind: 'step.end', body: { step: 'queued', status: endOfOpenStep(status) } }]
  }
  const open = await tx.send(openStages({ jobId: job.id }))
  return open.map(({ stage }) => ({
    kind: 'step.end',
    body: { step: stage, status: endOfOpenStep(status) },
  }))
}

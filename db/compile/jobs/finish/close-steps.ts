import { endOfOpenStep, type JobStatus } from '../../../../core/compile/rows/task.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { NewJobEvent } from '../../progress/events/append-event.ts'
import type { LockedJob } from '../lock-job.ts'

/** Returns `step.end` events for the begun steps, so that every `step.start` in a log has its `step.end`. */
export async function closeSteps(tx: Transaction, job: LockedJob, status: JobStatus): Promise<readonly NewJobEvent[]> {
  if (job.status === 'queued') {
    return [{ kind: 'step.end', body: { step: 'queued', status: endOfOpenStep(status) } }]
  }
  const open = await tx.q
    .selectFrom('job_stages')
    .select('stage')
    .where('job_id', '=', job.id)
    .where('completed_at', 'is', null)
    .orderBy('started_at')
    .execute()
  return open.map(({ stage }) => ({
    kind: 'step.end',
    body: { step: stage, status: endOfOpenStep(status) },
  }))
}

import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { JobEventKind } from './job-event.ts'

/** One line of a job's event log. */
export interface ListedEvent {
  readonly seq: number
  readonly kind: JobEventKind
  readonly body: JsonObject
  readonly at: Date
}

/** Lists the events of one job after `afterSeq`, oldest first, at most `limit`; none for another tenant's job. */
export async function listEvents(
  op: Operation,
  input: { readonly jobId: string; readonly afterSeq: number; readonly limit: number },
): Promise<readonly ListedEvent[]> {
  return await op.read((q) =>
    q
      .selectFrom('compile_jobs as j')
      .innerJoin('job_events as e', 'e.job_id', 'j.id')
      .select(['e.seq', 'e.kind', 'e.body', 'e.at'])
      .where('j.id', '=', input.jobId)
      .where('j.tenant_id', '=', op.tenantId)
      .where('e.seq', '>', input.afterSeq)
      .orderBy('e.seq')
      .limit(input.limit),
  )
}

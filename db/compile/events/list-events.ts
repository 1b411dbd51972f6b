import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { boundsOf, specInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { JobEventKind } from './job-event.ts'

/** One line of a job's event log. */
export interface ListedEvent {
  readonly seq: number
  readonly kind: JobEventKind
  readonly body: JsonObject
  readonly at: Date
}

/** The events of one job after `afterSeq`, oldest first, at most `limit`; none for another tenant's job. */
export async function listEvents(
  op: Operation,
  input: { readonly jobId: string; readonly afterSeq: number; readonly limit: number },
): Promise<readonly ListedEvent[]> {
  return await op.db.query<ListedEvent>(
    `select e.seq, e.kind, e.body, e.at
     from compile_jobs j join job_events e on e.job_id = j.id
     where j.id = $1 and j.tenant_id = $2 and e.seq > $3 and ${specInBounds('j', 5)}
     order by e.seq limit $4`,
    [input.jobId, op.tenantId, input.afterSeq, input.limit, boundsOf(op)],
  )
}

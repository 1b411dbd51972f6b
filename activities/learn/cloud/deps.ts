import type { Limits } from '../../../core/learn/limits.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { TemporalClient } from '../../../temporal/client.ts'
import type { Workflows } from '../../../temporal/workflows.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the activities of cloud jobs. */
export interface CloudJobDeps extends ActivityDeps {
  readonly limits: Limits
  readonly temporal: TemporalClient
  readonly workflows: Workflows
  readonly now: () => Date
}

/** The job that an activity works on. */
export interface CloudJobRef {
  readonly cloudJobId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity changes a cloud job. */
export function operationOf(deps: Pick<CloudJobDeps, 'db' | 'now'>, ref: CloudJobRef): Operation {
  return systemOperation(deps.db, {
    tenantId: ref.tenantId,
    name: 'cloud',
    requestId: ref.cloudJobId,
    now: deps.now,
  })
}

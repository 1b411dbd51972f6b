import type { Limits } from '../../../core/overview/limits.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** What the activities of deletion work with. */
export interface DeletionDeps extends ActivityDeps {
  readonly limits: Limits
  readonly now: () => Date
}

/** Which tenant is no more, and the workflow that clears up after it. */
export interface DeletionRef {
  readonly workflowId: string
  readonly tenantId: string
}

/** The operation under which an activity clears up. */
export function operationOf(deps: Pick<DeletionDeps, 'db' | 'now'>, ref: DeletionRef): Operation {
  return systemOperation(deps.db, {
    tenantId: ref.tenantId,
    name: 'deletion',
    requestId: ref.workflowId,
    now: deps.now,
  })
}

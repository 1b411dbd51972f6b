import type { Limits } from '../../../core/overview/limits.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the deletion activities. */
export interface DeletionDeps extends ActivityDeps {
  readonly limits: Limits
  readonly now: () => Date
}

/** The deleted tenant, and the workflow that cleans up after it. */
export interface DeletionRef {
  readonly workflowId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity cleans up. */
export function operationOf(deps: Pick<DeletionDeps, 'db' | 'now'>, ref: DeletionRef): Operation {
  return systemOperation(deps.db, {
    tenantId: ref.tenantId,
    name: 'deletion',
    requestId: ref.workflowId,
    now: deps.now,
  })
}

import type { PaymentProcessor } from '../../../core/billing/processor.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { Limits } from '../../../core/billing/limits.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the billing activities. */
export interface BillingDeps extends ActivityDeps {
  readonly limits: Limits
  /** Null when payments are not configured. */
  readonly processor: PaymentProcessor | null
  readonly now: () => Date
}

/** The tenant whose billing an activity works on, and the workflow that runs it. */
export interface BillingRef {
  readonly workflowId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity changes billing rows. */
export function operationOf(deps: Pick<BillingDeps, 'db' | 'now'>, ref: BillingRef): Operation {
  return systemOperation(deps.db, {
    tenantId: ref.tenantId,
    name: 'billing',
    requestId: ref.workflowId,
    now: deps.now,
  })
}

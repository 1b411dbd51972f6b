import type { Limits } from '../../../core/kernel/limits.ts'
import type { Workflows } from '../../../temporal/workflows.ts'
import type { ActivityDeps } from '../activity-deps.ts'

/** What reconciling works with. */
export interface ReconcileDeps extends ActivityDeps {
  readonly workflows: Workflows
  readonly limits: Limits
  readonly now: () => Date
}

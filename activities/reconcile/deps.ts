import type { Limits } from '../../core/tenancy/limits.ts'
import type { StartDeps } from '../start-job.ts'

/** What the chores work with. */
export interface ReconcileDeps extends StartDeps {
  readonly limits: Limits
  readonly now: () => Date
}

import type { Limits } from '../../../core/kernel/limits.ts'
import type { StartDeps } from '../../compile/compile/start-job.ts'

/** What the chores work with. */
export interface ReconcileDeps extends StartDeps {
  readonly limits: Limits
  readonly now: () => Date
}

import type { Limits } from '../../../core/kernel/limits.ts'
import type { StartDeps } from '../../kernel/start-deps.ts'

/** What the chores work with. */
export interface ReconcileDeps extends StartDeps {
  readonly limits: Limits
  readonly now: () => Date
}

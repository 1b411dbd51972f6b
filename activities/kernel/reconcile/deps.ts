import type { Limits } from '../../../core/kernel/limits.ts'
import type { Workflows } from '../../../temporal/workflows.ts'
import type { ActivityDeps } from '../activity-deps.ts'

/** Dependencies of reconciling; an area that reads more limits than the kernel names its own. */
export interface ReconcileDeps<L extends Limits = Limits> extends ActivityDeps {
  readonly workflows: Workflows
  readonly limits: L
  readonly now: () => Date
}

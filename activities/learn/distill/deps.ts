import type { Cores } from '../../../core/kernel/threads/cores.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { Workflows } from '../../../temporal/workflows.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the activities of distillation. */
export interface DistillDeps extends ActivityDeps {
  readonly limits: Limits
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  readonly workflows: Workflows
  /** Folders whose sub-folders are bases. */
  readonly baseFolders: readonly string[]
  readonly now: () => Date
}

/** The run that an activity works on. */
export interface RunRef {
  readonly runId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity changes a run. */
export function operationOf(deps: Pick<DistillDeps, 'db' | 'now'>, { runId, tenantId }: RunRef): Operation {
  return systemOperation(deps.db, { tenantId, name: 'distill', requestId: runId, now: deps.now })
}

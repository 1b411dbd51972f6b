import type { ModelPort } from '../../../core/gateway/ports.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { Workflows } from '../../../temporal/workflows.ts'
import type { CompileDeps } from '../../compile/compile/deps.ts'

/** Dependencies of the activities of distillation. */
export interface DistillDeps extends CompileDeps {
  readonly limits: Limits
  readonly workflows: Workflows
  /** Asks teachers with the keys of the tenant of a run. */
  readonly models: ModelPort
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

import type { ModelPort } from '../../../core/gateway/ports.ts'
import type { Cores } from '../../../core/kernel/threads/cores.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import type { Generators } from '../../../core/model/generation/generators.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the activities of bake-offs. */
export interface BakeoffDeps extends ActivityDeps {
  readonly limits: Limits
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  /** The base models that this process has open. */
  readonly generators: Generators
  /** Asks models of providers with the keys that tenants have. */
  readonly models: ModelPort
  readonly now: () => Date
}

/** The bake-off that an activity works on. */
export interface BakeoffRef {
  readonly bakeoffId: string
  readonly tenantId: string
}

/** A contestant of it, by its place. */
export interface ContestantRef extends BakeoffRef {
  readonly contestant: number
}

/** Returns the operation under which an activity changes a bake-off. */
export function operationOf(deps: Pick<BakeoffDeps, 'db' | 'now'>, ref: BakeoffRef): Operation {
  return systemOperation(deps.db, { tenantId: ref.tenantId, name: 'bakeoff', requestId: ref.bakeoffId, now: deps.now })
}

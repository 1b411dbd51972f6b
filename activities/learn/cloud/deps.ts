import type { RentalSettings } from '../../../core/compile/stages/rentals/settings.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { TemporalClient } from '../../../temporal/client.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the activities of cloud jobs. */
export interface CloudJobDeps extends ActivityDeps {
  readonly limits: Limits
  readonly temporal: TemporalClient
  /** Folders whose sub-folders are bases. */
  readonly baseFolders: readonly string[]
  readonly rentals: RentalSettings
  readonly now: () => Date
}

/** The job that an activity works on. */
export interface CloudJobRef {
  readonly cloudJobId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity changes a cloud job. */
export function operationOf(deps: Pick<CloudJobDeps, 'db' | 'now'>, ref: CloudJobRef): Operation {
  return systemOperation(deps.db, {
    tenantId: ref.tenantId,
    name: 'cloud',
    requestId: ref.cloudJobId,
    now: deps.now,
  })
}

import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'
import type { Cores } from '../../../core/kernel/threads/cores.ts'

/** Dependencies of the export activities. */
export interface ExportDeps extends ActivityDeps {
  readonly limits: Limits
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  /** Folders whose sub-folders are bases; the first that has a name wins. */
  readonly baseFolders: readonly string[]
  readonly now: () => Date
}

/** The export that an activity works on. */
export interface ExportRef {
  readonly exportId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity changes an export. */
export function operationOf(deps: Pick<ExportDeps, 'db' | 'now'>, ref: ExportRef): Operation {
  return systemOperation(deps.db, { tenantId: ref.tenantId, name: 'export', requestId: ref.exportId, now: deps.now })
}

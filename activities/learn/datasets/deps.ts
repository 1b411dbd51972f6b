import type { BuildThreads } from '../../../core/learn/datasets/build/build-threads.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import type { Cores } from '../../../core/kernel/threads/cores.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'
import type { InstalledQuestions } from '../bench/installed-questions.ts'

/** Dependencies of the activities that build datasets. */
export interface DatasetDeps extends ActivityDeps {
  readonly limits: Limits
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  /** Threads that build versions. */
  readonly builds: BuildThreads
  /** The folder of the workspaces of tenants; undefined where the operator has none. */
  readonly workspacesDir: string | undefined
  /** Folders whose sub-folders are bases, of which one counts tokens. */
  readonly baseFolders: readonly string[]
  /** The questions of benchmarks that the operator installed. */
  readonly installedQuestions: InstalledQuestions
  readonly now: () => Date
}

/** The version that an activity works on. */
export interface VersionInput {
  readonly datasetId: string
  readonly version: number
  readonly tenantId: string
}

/** Returns the operation under which an activity changes a version. */
export function operationOf(deps: Pick<DatasetDeps, 'db' | 'now'>, ref: VersionInput): Operation {
  const requestId = `${ref.datasetId}/v${ref.version}`
  return systemOperation(deps.db, { tenantId: ref.tenantId, name: 'dataset', requestId, now: deps.now })
}

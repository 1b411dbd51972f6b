import type { Extractor } from '../../../core/compile/documents/extract/extractor.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { Embedder } from '../../../core/model/embedding/embedder.ts'
import type { Cores } from '../../../core/kernel/threads/cores.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the activities that index documents. */
export interface DocumentDeps extends ActivityDeps {
  readonly limits: Limits
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  /** Reads files in threads. */
  readonly extractor: Extractor
  /** The model of embeddings of this machine. */
  readonly embedder: Embedder
  /** The folder of the workspaces of tenants; undefined where the operator has none. */
  readonly workspacesDir: string | undefined
  readonly now: () => Date
}

/** The call that an activity works on. */
export interface IndexRef {
  readonly indexId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity changes a call that indexes files. */
export function operationOf(deps: Pick<DocumentDeps, 'db' | 'now'>, ref: IndexRef): Operation {
  return systemOperation(deps.db, { tenantId: ref.tenantId, name: 'index', requestId: ref.indexId, now: deps.now })
}

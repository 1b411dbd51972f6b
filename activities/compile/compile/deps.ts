import type { Cores } from '../../../core/kernel/threads/cores.ts'
import type { ComputePool } from '../../../core/compile/stages/pool/pool.ts'
import type { MacKey } from '../../../core/kernel/json/mac.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { Teacher } from '../../../core/compile/stages/teacher/teacher.ts'
import type { Generators } from '../../../core/model/generation/generators.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { Recall } from '../../../db/compile/documents/recall/recall.ts'
import type { JobRef } from './results.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the compile activities. */
export interface CompileDeps extends ActivityDeps {
  readonly pool: ComputePool
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  readonly limits: Limits
  /** The operator's frontier model; null when none is configured. */
  readonly teacher: Teacher | null
  /** Folders whose sub-folders are base models; the first folder that has a name wins. */
  readonly baseFolders: readonly string[]
  /** The base models that this process has open. */
  readonly generators: Generators
  /** Finds the parts of documents that ground the teacher. */
  readonly recall: Recall
  /** The key that signs archives. */
  readonly signer: SigningKey
  /** The tenant's current receipt secret. */
  readonly receiptKey: (tenantId: string) => Promise<MacKey>
  readonly now: () => Date
}

/** Returns the operation under which an activity changes a job. */
export function operationOf(deps: Pick<CompileDeps, 'db' | 'now'>, job: JobRef): Operation {
  return systemOperation(deps.db, {
    tenantId: job.tenantId,
    name: 'compile',
    requestId: job.jobId,
    now: deps.now,
  })
}

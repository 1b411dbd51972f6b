import type { Limits } from '../../../core/learn/limits.ts'
import type { MacKey } from '../../../core/kernel/json/mac.ts'
import type { Cores } from '../../../core/kernel/threads/cores.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { Generators } from '../../../core/model/generation/generators.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of the activities of gates. */
export interface GateDeps extends ActivityDeps {
  readonly limits: Limits
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  /** The base models that this process has open. */
  readonly generators: Generators
  /** The key that signs receipts. */
  readonly signer: SigningKey
  /** The tenant's current receipt secret. */
  readonly receiptKey: (tenantId: string) => Promise<MacKey>
  readonly now: () => Date
}

/** The gate that an activity works on. */
export interface GateRef {
  readonly gateId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity changes a gate. */
export function operationOf(deps: Pick<GateDeps, 'db' | 'now'>, ref: GateRef): Operation {
  return systemOperation(deps.db, { tenantId: ref.tenantId, name: 'gate', requestId: ref.gateId, now: deps.now })
}

import type { Cores } from '../../../core/kernel/threads/cores.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { Generators } from '../../../core/model/generation/generators.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'

/** Dependencies of measurements. */
export interface MeasurementDeps extends ActivityDeps {
  readonly limits: Limits
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  /** The base models that this process has open. */
  readonly generators: Generators
  /** The key that signs rows. */
  readonly signer: SigningKey
  readonly now: () => Date
}

/** The measurement that an activity works on. */
export interface MeasurementRef {
  readonly measurementId: string
  readonly tenantId: string
}

/** Returns the operation under which an activity changes a measurement. */
export function operationOf(deps: Pick<MeasurementDeps, 'db' | 'now'>, ref: MeasurementRef): Operation {
  const { tenantId, measurementId } = ref
  return systemOperation(deps.db, { tenantId, name: 'inference', requestId: measurementId, now: deps.now })
}

import type { CaptureLearners } from '../../../core/gateway/ports.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { Transaction } from '../../../db/kernel/transaction.ts'
import type { ActivityLog } from '../../kernel/activity-log.ts'

/** Dependencies of the chores of captures. */
export interface CaptureDeps {
  readonly db: Database
  readonly limits: Limits
  readonly signer: SigningKey
  /** The port to jobs and datasets that learned from captures; `compile` fills it. */
  readonly learners: CaptureLearners<Transaction>
  readonly log: ActivityLog
  readonly now: () => Date
}

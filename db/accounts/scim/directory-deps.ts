import type { SsoSettings } from '../../../core/accounts/sign-in/sso-settings.ts'
import type { Limits } from '../../../core/accounts/limits.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Dependencies of an identity provider's calls. */
export interface DirectoryDeps {
  readonly tx: Transaction
  readonly op: Operation
  readonly settings: SsoSettings
  readonly limits: Limits
  /** Ids whose credentials ended, for this process's caches. */
  readonly ended: Set<string>
}

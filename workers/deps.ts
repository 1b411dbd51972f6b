import type { CompileDeps } from '../activities/compile/compile/deps.ts'
import type { Limits } from '../core/limits.ts'
import type { PaymentProcessor } from '../core/billing/processor.ts'
import type { Workflows } from '../temporal/workflows.ts'
import type { Mailer } from '../core/accounts/mail/mailer.ts'

/** What all activities of a worker process work with. */
export interface WorkerDeps extends CompileDeps {
  readonly limits: Limits
  readonly workflows: Workflows
  /** Null when the operator named no server that mails leave through. */
  readonly mailer: Mailer | null
  /** Null when nothing can be paid. */
  readonly processor: PaymentProcessor | null
  /** The address under which callers reach the API, where the operator named it. */
  readonly publicUrl: string | undefined
}

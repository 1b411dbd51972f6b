import type { WebhookDeps } from '../activities/accounts/webhooks/deps.ts'
import type { OpenSandbox } from '../activities/learn/bench/code-sandbox.ts'
import type { InstalledQuestions } from '../activities/learn/bench/installed-questions.ts'
import type { CompileDeps } from '../activities/compile/compile/deps.ts'
import type { DocumentDeps } from '../activities/compile/documents/deps.ts'
import type { RentalDeps } from '../activities/compile/rental/deps.ts'
import type { BuildThreads } from '../core/learn/datasets/build/build-threads.ts'
import type { ScoringThreads } from '../core/learn/evals/thread/scoring-threads.ts'
import type { Limits } from '../core/limits.ts'
import type { PaymentProcessor } from '../core/billing/processor.ts'
import type { CaptureLearners, ModelPort } from '../core/gateway/ports.ts'
import type { Transaction } from '../db/kernel/transaction.ts'
import type { Workflows } from '../temporal/workflows.ts'
import type { Mailer } from '../core/accounts/mail/mailer.ts'

/** Dependencies of all activities of a worker process. */
export interface WorkerDeps extends CompileDeps, DocumentDeps, RentalDeps, WebhookDeps {
  readonly learners: CaptureLearners<Transaction>
  /** Asks models of providers with the keys that tenants have. */
  readonly models: ModelPort
  /** Opens the sandbox of this process for code. */
  readonly codeSandbox: OpenSandbox
  /** Threads that build versions of datasets. */
  readonly builds: BuildThreads
  /** Threads for the rows and the figures of evaluations. */
  readonly scoring: ScoringThreads
  /** The questions of benchmarks that the operator installed. */
  readonly installedQuestions: InstalledQuestions
  readonly limits: Limits
  readonly workflows: Workflows
  /** Null when the operator configured no mail server. */
  readonly mailer: Mailer | null
  /** Null when payments are not configured. */
  readonly processor: PaymentProcessor | null
  /** The public address of the API, when the operator configured one. */
  readonly publicUrl: string | undefined
}

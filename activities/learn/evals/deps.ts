import type { ModelPort } from '../../../core/gateway/ports.ts'
import type { Cores } from '../../../core/kernel/threads/cores.ts'
import type { Generators } from '../../../core/model/generation/generators.ts'
import type { ScoringThreads } from '../../../core/learn/evals/thread/scoring-threads.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'
import type { OpenSandbox } from '../bench/code-sandbox.ts'

/** Dependencies of the activities of evaluations. */
export interface EvaluationDeps extends ActivityDeps {
  readonly limits: Limits
  /** Places for work that computes, which tenants share. */
  readonly cores: Cores
  /** Threads for the rows and the figures of evaluations. */
  readonly scoring: ScoringThreads
  /** The base models that this process has open. */
  readonly generators: Generators
  /** Asks models of providers with the keys of the tenant. */
  readonly models: ModelPort
  /** Opens the sandbox of this process for code. */
  readonly codeSandbox: OpenSandbox
  readonly now: () => Date
}

/** The evaluation that an activity works on. */
export interface EvaluationRef {
  readonly evaluationId: string
  readonly tenantId: string
  /** Which run of the evaluation works on it: from 2 on one that was resumed; absent where an earlier release began it. */
  readonly attempt?: number | undefined
}

/** Returns the operation under which an activity changes an evaluation. */
export function operationOf(deps: Pick<EvaluationDeps, 'db' | 'now'>, ref: EvaluationRef): Operation {
  const { tenantId, evaluationId } = ref
  return systemOperation(deps.db, { tenantId, name: 'evaluate', requestId: evaluationId, now: deps.now })
}

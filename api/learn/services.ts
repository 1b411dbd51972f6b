import type { ErrorCode } from '../../core/learn/errors.ts'
import type { EvalThreads } from '../../core/learn/evals/thread/eval-threads.ts'
import type { RowsThreads } from '../../core/learn/distill/rows-file/open-rows-threads.ts'
import type { LearnThread } from '../../core/learn/thread/open-learn-thread.ts'
import type { Limits } from '../../core/learn/limits.ts'
import type { Scope } from '../../core/learn/scopes.ts'
import type { AuthKind, CallFactsOf, CallOf } from '../kernel/request/call.ts'
import type { CompileServices, CompileSettings } from '../compile/services.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'

/** The settings of the operator that datasets, evaluations and benchmarks use. */
export interface LearnSettings extends CompileSettings {
  /** The folder of the packs of benchmarks that the operator installed; undefined without one. */
  readonly benchPacksDir?: string | undefined
}

/** The services that handlers of what is learned from traffic, and of gates and holdouts, see. */
export interface LearnServices extends CompileServices {
  readonly limits: Limits
  readonly settings: LearnSettings
  /** Reads tasks of evaluations and makes their prompts. */
  readonly evals: EvalThreads
  /** Reads the rows of holdouts, and tests posted cases. */
  readonly learnThread: LearnThread
  /** Checks files of rows to learn from. */
  readonly rowsThreads: RowsThreads
}

/** Declares a route whose handler sees this slice, and codes, limits and scopes of this area and those below. */
export const defineRoute = routesOf<LearnServices, ErrorCode, Scope>()
/** A route of this area. */
export type Route = RouteOf<LearnServices>
/** The facts of a call before its input is parsed. */
export type CallFacts = CallFactsOf<LearnServices>
/** The input of a handler of this area. */
export type Call<A extends AuthKind, P, Q, B> = CallOf<A, P, Q, B, LearnServices>

import type { ErrorCode } from '../../core/compile/errors.ts'
import type { Limits } from '../../core/compile/limits.ts'
import type { Scope } from '../../core/compile/scopes.ts'
import type { DatasetRows, EvaluatedRows, SealedRows, Verdicts } from '../../core/compile/ports.ts'
import type { RentalSettings } from '../../core/compile/stages/rentals/settings.ts'
import type { BaseProvider } from '../../core/compile/runtime/bases.ts'
import type { FairLane } from '../../core/kernel/threads/fair/fair-lane.ts'
import type { Diagnosis } from '../../core/compile/artifacts/diagnosis/thread/open-diagnosis.ts'
import type { TokenUsage } from '../../core/compile/runtime/start-recipe.ts'
import type { TeacherIdentity } from '../../core/compile/stages/teacher/teacher-types.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { InvocationRecorder } from '../../db/compile/invocations/recorder.ts'
import type { Recall } from '../../db/compile/documents/recall/recall.ts'
import type { GatewayServices, GatewaySettings } from '../gateway/services.ts'
import type { AuthKind, CallFactsOf, CallOf } from '../kernel/request/call.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'
import type { CallMetrics } from '../kernel/services.ts'
import type { Intake } from './intake/intake.ts'
import type { Previews } from './build/preview-seats.ts'
import type { BatchRuns } from './run/batch/batch-runs.ts'
import type { Routers } from './run/compose/routers.ts'
import type { RecipeCache } from './run/recipe-cache.ts'
import type { ResponseCache } from './run/response-cache.ts'
import type { SharedParts } from './share/shared-parts.ts'

/** The settings of the operator that compiles and runs use. */
export interface CompileSettings extends GatewaySettings {
  /** The operator's frontier model, for estimates; absent when there is none. */
  readonly teacher?: TeacherIdentity | undefined
  /** Machines with a GPU that the operator lets compiles rent. */
  readonly rentals: RentalSettings
  /** The folder of the workspaces of tenants; undefined where the operator has none. */
  readonly workspacesDir?: string | undefined
}

/** Metrics of runs. */
export interface RunMetrics extends CallMetrics {
  /** Counts one answer that a base generated. */
  observeGeneration(base: string, usage: TokenUsage): void
}

/** The services that handlers of compiles, runs and artifacts see. */
export interface CompileServices extends GatewayServices {
  readonly settings: CompileSettings
  readonly limits: Limits
  readonly invocations: InvocationRecorder
  readonly metrics: RunMetrics
  readonly intake: Intake
  readonly previews: Previews
  readonly bases: BaseProvider
  /** Cores for calls that compute for longer than others, in turns. */
  readonly longLane: FairLane
  readonly recipes: RecipeCache
  readonly responses: ResponseCache
  /** Finds the concepts that a call may be for. */
  readonly routers: Routers
  /** Runs the rows of batches. */
  readonly batches: BatchRuns
  /** Makes the pages of share links. */
  readonly shared: SharedParts
  /** Finds failure modes. */
  readonly diagnosis: Diagnosis
  /** Opens datasets: a port, which `learn` fills. */
  readonly datasets: DatasetRows<Operation>
  /** Finds parts of documents. */
  readonly recall: Recall
  /** Rows that no examples may have. */
  readonly sealedRows: SealedRows<Operation>
  /** Finds the decisions of gates: a port, which `learn` fills. */
  readonly verdicts: Verdicts<Operation>
  /** Reads the rows of evaluations: a port, which `learn` fills. */
  readonly evaluatedRows: EvaluatedRows<Operation>
}

/** Declares a route whose handler sees this slice, and codes, limits and scopes of this area and those below. */
export const defineRoute = routesOf<CompileServices, ErrorCode, Scope>()
/** A route of this area. */
export type Route = RouteOf<CompileServices>
/** The facts of a call before its input is parsed. */
export type CallFacts = CallFactsOf<CompileServices>
/** The input of a handler of this area. */
export type Call<A extends AuthKind, P, Q, B> = CallOf<A, P, Q, B, CompileServices>

import type { ErrorCode } from '../../core/gateway/errors.ts'
import type { Limits } from '../../core/gateway/limits.ts'
import type { Scope } from '../../core/gateway/scopes.ts'
import type { LargeGate } from '../../core/gateway/gate/large/large-gate.ts'
import type { SchemaChecks } from '../../core/gateway/control/schema/schema-checks.ts'
import type { MeteredCall, MeteredEvent } from '../../db/billing/usage/call-sums.ts'
import type { GatewayMode, OperatorUpstreams } from '../../core/gateway/calls/providers.ts'
import type { Budgets } from '../../db/gateway/budgets/budgets.ts'
import type { NamespaceReader } from '../../db/gateway/namespaces/read-namespace.ts'
import type { ModelLists } from '../../core/gateway/protocol/upstream/model-lists.ts'
import type { Upstream } from '../../core/gateway/protocol/upstream/upstream.ts'
import type { Breakers } from '../../core/gateway/routing/breakers.ts'
import type { Overlay } from '../../core/gateway/routing/overlay.ts'
import type { ProviderRates } from '../../db/gateway/providers/provider-rates.ts'
import type { Transaction } from '../../db/kernel/transaction.ts'
import type { TenantCache } from '../../db/kernel/tenant/tenant-cache.ts'
import type { CaptureLearners, CompiledRecords, Handbook, OwnArtifacts } from '../../core/gateway/ports.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { Reader } from '../../db/kernel/queries/read.ts'
import type { AssistLimits } from './assist/assist-limits.ts'
import type { VaultReader } from '../../db/gateway/provider-keys/vault-reader.ts'
import type { TelemetrySettings } from '../../config/environment/telemetry.ts'
import type { CallWatch } from './telemetry/call-watch.ts'
import type { CaptureWriter } from '../../db/gateway/captures/writer/writer.ts'
import type { BillingServices, BillingSettings } from '../billing/services.ts'
import type { MelThreads } from '../../core/gateway/protocol/audio/features/mel-threads.ts'
import type { UploadSpool } from '../kernel/request/spool.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'

/** The settings of the operator that the gateway uses. */
export interface GatewaySettings extends BillingSettings {
  /** The operator's frontier model; absent when there is none. */
  readonly teacher?: object | undefined
  /** Addresses and keys of the operator at providers. */
  readonly upstreams: OperatorUpstreams
  /** Folders whose sub-folders are base models; the first that has a name wins. */
  readonly baseFolders: readonly string[]
  /** Where calls of models go. */
  readonly gatewayMode: GatewayMode
  /** Where spans and metrics of calls are exported to; absent when they are not. */
  readonly telemetry?: TelemetrySettings | undefined
}

/** Counts events in memory and writes the sums down: a port, which `compile` fills. */
export interface EventRecorder {
  /** Counts a call that a provider answered. */
  recordCall(call: MeteredCall): void
  /** Counts an event that was taken in. */
  recordEvent(event: MeteredEvent): void
}

/** Counts what a tenant has, such as `artifacts`, by name; for a key bound to namespaces that in them: a port, which `overview` fills. */
export type CountBelongings = (op: Operation) => Promise<Readonly<Record<string, number>>>

/** The services that handlers of the gateway see. */
export interface GatewayServices extends BillingServices {
  readonly settings: GatewaySettings
  readonly limits: Limits
  readonly schemaChecks: SchemaChecks
  readonly largeGate: LargeGate
  readonly upstream: Upstream
  readonly modelLists: ModelLists
  readonly breakers: Breakers
  readonly overlays: TenantCache<Overlay>
  readonly providerRates: ProviderRates
  readonly namespaces: NamespaceReader
  readonly ownArtifacts: OwnArtifacts
  readonly compiledRecords: CompiledRecords<Reader>
  readonly captureLearners: CaptureLearners<Transaction>
  readonly budgets: Budgets
  readonly invocations: EventRecorder
  readonly callWatch: CallWatch
  readonly vault: VaultReader
  readonly captures: CaptureWriter
  readonly handbook: Handbook
  readonly countBelongings: CountBelongings
  readonly assistLimits: AssistLimits
  /** Stores uploads until they are settled. */
  readonly spool: UploadSpool
  readonly melThreads: MelThreads
}

/** Declares a route whose handler sees this slice, and codes, limits and scopes of this area and those below. */
export const defineRoute = routesOf<GatewayServices, ErrorCode, Scope>()
/** A route of this area. */
export type Route = RouteOf<GatewayServices>

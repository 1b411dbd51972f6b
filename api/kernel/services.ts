import type { Logger } from '../../config/logger.ts'
import type { JsonObject } from '../../core/kernel/json/json.ts'
import type { Limits } from '../../core/kernel/limits.ts'
import type { Database } from '../../db/kernel/database.ts'
import type { Notifications } from '../../db/kernel/notifications.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { TenantRate } from '../../db/kernel/rate-limits/tenant-rate.ts'
import type { Principal } from '../../db/kernel/tenant/principal.ts'
import type { TemporalClient } from '../../temporal/client.ts'
import type { Workflows } from '../../temporal/workflows.ts'
import type { OpenStreams } from './reply/open-streams.ts'
import type { BodyIntake } from './request/body-intake.ts'
import type { StorageSettings, StorageWatch } from './storage-watch.ts'

/** The settings of the operator that the kernel uses. */
export interface KernelSettings {
  readonly publicUrl: string | undefined
  readonly isProduction: boolean
  readonly trustedProxyHops: number
  /** Opens the routes of operators. */
  readonly adminKey?: string | undefined
  /** Ids of the tenants whose owners run the service as well. */
  readonly adminTenants: ReadonlySet<string>
  readonly storage: StorageSettings
}

/** Functions of higher areas that the kernel needs. `api/server.ts` provides them. */
export interface KernelPorts {
  /** Writes the audit line of an administrator's call, before the call does anything. */
  readonly recordAdminAction: (op: Operation, call: AdminCall) => Promise<void>
}

/** A call of an administrator, as its audit line names it. */
export interface AdminCall {
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  readonly query: JsonObject
}

/** Checks API keys: a port of the guard. */
export interface KeyCheck {
  authenticate(apiKey: string, caller: { readonly isSuspect: boolean }): Promise<Principal | null>
  /** Drops a key that was just ended at once, or all of a member or a tenant. */
  forget(id: string): void
}

/** Checks sessions: a port of the guard. */
export interface SessionCheck {
  authenticate(token: string): Promise<CheckedSession | null>
  /** Drops what was just ended at once: a session, or all of a key, a member or a tenant. */
  forget(id: string): void
}

/** A live session, as the guard sees it. */
export interface CheckedSession {
  readonly principal: Principal
  readonly expiresAt: Date
  /** Its end was moved by this call, so the cookie should be sent again. */
  readonly isExtended: boolean
}

/** Metrics of every call. */
export interface CallMetrics {
  /** Counts one answered request. `route` is a template or `unmatched`, never a path. */
  observeRequest(method: string, route: string, status: number, durationS: number): void
  /** Counts what the guard took to find out who calls and whether they may: key or session, scope, rate. */
  observeGuard(durationS: number): void
}

/** The services of the binding, the guard and every handler, wired once in `api/server.ts`. Each area adds its slice. */
export interface KernelServices {
  readonly settings: KernelSettings
  readonly ports: KernelPorts
  readonly limits: Limits
  readonly log: Logger
  readonly now: () => Date
  readonly db: Database
  readonly notifications: Notifications
  readonly keys: KeyCheck
  readonly keyUses: { note(keyId: string, at: Date): void }
  readonly sessions: SessionCheck
  readonly tenantRate: TenantRate
  readonly temporal: TemporalClient
  readonly workflows: Workflows
  /** The address under which callers reach the API, without a slash at its end: what is configured, or its own. */
  readonly publicUrl: () => string
  /** Reads what callers send. */
  readonly intake: BodyIntake
  /** Knows how much room there is for data. */
  readonly storage: StorageWatch
  readonly metrics: CallMetrics
  readonly streams: OpenStreams
}

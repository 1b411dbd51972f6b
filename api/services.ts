import type { PaymentProcessor } from '../core/billing/processor.ts'
import type { StripeSettings } from '../core/billing/stripe/stripe-processor.ts'
import type { BaseProvider } from '../core/compile/runtime/bases.ts'
import type { SchemaChecks } from '../core/gateway/control/schema/schema-checks.ts'
import type { TeacherIdentity } from '../core/compile/teacher/teacher-types.ts'
import type { OAuthProviders } from '../core/accounts/oauth/provider.ts'
import type { OAuthSettings } from '../core/accounts/oauth/providers.ts'
import type { OidcClient } from '../core/accounts/oidc/client.ts'
import type { Limits } from '../core/limits.ts'
import type { Logger } from '../config/logger.ts'
import type { Database } from '../db/kernel/database.ts'
import type { InvocationRecorder } from '../db/compile/invocations/recorder.ts'
import type { KeyAuthenticator } from '../db/accounts/keys/authentication/authenticator.ts'
import type { KeyUses } from '../db/accounts/across/authentication/last-used.ts'
import type { Notifications } from '../db/kernel/notifications.ts'
import type { CallMeter } from '../db/billing/quota/call-meter.ts'
import type { TenantRate } from '../db/kernel/rate-limits/tenant-rate.ts'
import type { ReceiptSecrets } from '../db/ledger/across/receipt-secrets.ts'
import type { SigningKeys } from '../db/ledger/across/signing-keys.ts'
import type { ServiceCounts } from '../db/overview/across/counts/service-counts.ts'
import type { SessionAuthenticator } from '../db/accounts/sessions/authenticator.ts'
import type { TemporalClient } from '../temporal/client.ts'
import type { Workflows } from '../temporal/workflows.ts'
import type { UploadSpool } from './compile/submit/spool.ts'
import type { StorageSettings, StorageWatch } from './kernel/storage-watch.ts'
import type { Intake } from './intake/intake.ts'
import type { ApiMetrics } from './overview/health/facts/metrics.ts'
import type { OpenStreams } from './kernel/reply/open-streams.ts'
import type { ApiPorts } from './kernel/ports.ts'
import type { Previews } from './compile/build/preview-seats.ts'
import type { RecipeCache } from './compile/run/recipe-cache.ts'
import type { ResponseCache } from './compile/run/response-cache.ts'

/** What an operator chose, as far as routes look at it. */
export interface ApiSettings {
  readonly region: string
  readonly version: string
  readonly git: string
  readonly publicUrl: string | undefined
  readonly isProduction: boolean
  readonly isInviteOnly: boolean
  readonly trustedProxyHops: number
  readonly metricsToken: string | undefined
  /** Whether `/metrics` answers everybody when no token is set; otherwise it answers this machine. */
  readonly areMetricsPublic?: boolean
  readonly masterKey: Buffer
  /** Master keys of the past, which still open what was sealed under them. */
  readonly oldMasterKeys: readonly Buffer[]
  /** Opens the routes of those who run the service. */
  readonly adminKey?: string | undefined
  /** Ids of the tenants whose owners run the service as well. */
  readonly adminTenants: ReadonlySet<string>
  readonly oauth: OAuthSettings
  /** Absent when nothing can be paid. */
  readonly stripe?: StripeSettings | undefined
  /** Whether workers have a server that mails leave through. */
  readonly isMailConfigured: boolean
  /** Whether addresses that callers give may lie in private networks. */
  readonly allowsPrivateEgress: boolean
  /** The operator's frontier model, for estimates; absent when there is none. */
  readonly teacher?: TeacherIdentity | undefined
  /** Folders whose sub-folders are base models; the first that has a name wins. */
  readonly baseFolders: readonly string[]
  readonly storage: StorageSettings
}

/** Everything that routes use, wired once in `api/main.ts`. */
export interface ApiServices {
  readonly settings: ApiSettings
  readonly ports: ApiPorts
  readonly limits: Limits
  readonly log: Logger
  readonly now: () => Date
  readonly db: Database
  readonly notifications: Notifications
  readonly keys: KeyAuthenticator
  readonly keyUses: KeyUses
  readonly sessions: SessionAuthenticator
  readonly tenantRate: TenantRate
  readonly receiptSecrets: ReceiptSecrets
  readonly signingKeys: SigningKeys
  readonly meter: CallMeter
  readonly invocations: InvocationRecorder
  readonly counts: ServiceCounts
  readonly temporal: TemporalClient
  readonly workflows: Workflows
  /** Null when nothing can be paid. */
  readonly processor: PaymentProcessor | null
  readonly oauth: OAuthProviders
  /** For the OpenID providers of organisations. */
  readonly oidc: OidcClient
  /** The address under which callers reach the API, without a slash at its end: what is configured, or its own. */
  readonly publicUrl: () => string
  readonly previews: Previews
  /** Reads what callers send. */
  readonly intake: Intake
  /** Knows how much room there is for data. */
  readonly storage: StorageWatch
  /** Where uploads wait until they are settled. */
  readonly spool: UploadSpool
  readonly schemaChecks: SchemaChecks
  readonly metrics: ApiMetrics
  readonly streams: OpenStreams
  readonly bases: BaseProvider
  readonly recipes: RecipeCache
  readonly responses: ResponseCache
}

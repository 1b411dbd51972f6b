import { join } from 'node:path'
import type { Registry } from 'prom-client'
import type { Logger } from '../../config/logger.ts'
import { openSchemaChecks } from '../../core/gateway/control/schema/schema-checks.ts'
import { openLargeGate } from '../../core/gateway/gate/large/large-gate.ts'
import type { Limits } from '../../core/gateway/limits.ts'
import { openMelThreads } from '../../core/gateway/protocol/audio/features/mel-threads.ts'
import { ModelLists } from '../../core/gateway/protocol/upstream/model-lists.ts'
import { openUpstream } from '../../core/gateway/protocol/upstream/upstream.ts'
import { Breakers } from '../../core/gateway/routing/breakers.ts'
import { createBudgets } from '../../db/gateway/budgets/budgets.ts'
import { openCaptureWriter } from '../../db/gateway/captures/writer/writer.ts'
import { createNamespaceReader } from '../../db/gateway/namespaces/read-namespace.ts'
import { createVaultReader } from '../../db/gateway/provider-keys/vault-reader.ts'
import { createProviderRates } from '../../db/gateway/providers/provider-rates.ts'
import { createOverlayReader } from '../../db/gateway/providers/read-overlay.ts'
import type { Database } from '../../db/kernel/database.ts'
import type { Notifications } from '../../db/kernel/notifications.ts'
import type { SigningKeys } from '../../db/ledger/across/signing-keys.ts'
import { createAssistLimits } from './assist/assist-limits.ts'
import type { GatewayServices, GatewaySettings } from './services.ts'
import { createCallCounters } from './telemetry/call-counters.ts'
import { watchTogether } from './telemetry/call-watch.ts'
import { openCallTelemetry } from './telemetry/open-call-telemetry.ts'

/** Dependencies of the gateway. */
interface GatewayDeps {
  readonly db: Database
  readonly notifications: Notifications
  readonly signingKeys: SigningKeys
  readonly settings: GatewaySettings & { readonly storage: { readonly captureDir: string } }
  readonly limits: Limits
  readonly log: Logger
  readonly now: () => Date
  readonly cores: Parameters<typeof openSchemaChecks>[0]
  readonly metrics: Registry
  /** Counts bytes against the room of the disk. Throws `storage_full`. */
  readonly takeRoom: (bytes: number) => void
}

/** The services that are the gateway's own. */
type OwnServices = Pick<
  GatewayServices,
  | 'schemaChecks'
  | 'largeGate'
  | 'upstream'
  | 'modelLists'
  | 'breakers'
  | 'overlays'
  | 'providerRates'
  | 'namespaces'
  | 'vault'
  | 'callWatch'
  | 'budgets'
  | 'captures'
  | 'assistLimits'
  | 'melThreads'
>

/** Opens the services of the gateway; `onClose` is given what closes each, in the order in which they were opened. */
export async function openGateway(
  { db, notifications, signingKeys, settings, limits, log, now, cores, metrics, takeRoom }: GatewayDeps,
  onClose: (close: () => Promise<void> | void) => void,
): Promise<OwnServices> {
  const opened = <T extends { close(): Promise<void> | void }>(service: T): T => {
    onClose(() => service.close())
    return service
  }
  const schemaChecks = opened(openSchemaChecks(cores))
  const upstream = opened(
    openUpstream({
      connections: limits.gateway_connections,
      maxBytes: limits.gateway_answer_bytes,
      idleMs: limits.gateway_silence_s * 1000,
    }),
  )
  const telemetry = await openCallTelemetry(settings.telemetry, log)
  if (telemetry !== undefined) opened(telemetry)
  return {
    schemaChecks,
    largeGate: opened(openLargeGate(cores)),
    upstream,
    modelLists: new ModelLists(upstream),
    breakers: new Breakers(),
    overlays: opened(createOverlayReader({ db, notifications })),
    providerRates: createProviderRates(db),
    namespaces: opened(createNamespaceReader({ db, notifications })),
    vault: opened(createVaultReader({ db, notifications })),
    callWatch: watchTogether([createCallCounters(metrics), ...(telemetry ? [telemetry] : [])], log),
    melThreads: opened(openMelThreads(cores, limits.audio_tokenize_s)),
    budgets: opened(createBudgets({ db, now })),
    assistLimits: createAssistLimits(db, limits),
    captures: opened(
      openCaptureWriter({
        db,
        signer: signingKeys.current,
        // The oldest key names the database: what waits for another one is left alone.
        folder: join(settings.storage.captureDir, signingKeys.all.at(-1)?.kid ?? signingKeys.current.kid),
        limits,
        takeRoom,
        now,
        log,
      }),
    ),
  }
}

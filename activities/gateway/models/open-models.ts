import type { Limits } from '../../../core/gateway/limits.ts'
import type { ModelPort } from '../../../core/gateway/ports.ts'
import { openUpstream } from '../../../core/gateway/protocol/upstream/upstream.ts'
import { createCallMeter } from '../../../db/billing/quota/call-meter.ts'
import { createBudgets } from '../../../db/gateway/budgets/budgets.ts'
import { createNamespaceReader } from '../../../db/gateway/namespaces/read-namespace.ts'
import { createVaultReader } from '../../../db/gateway/provider-keys/vault-reader.ts'
import { createProviderRates } from '../../../db/gateway/providers/provider-rates.ts'
import { createOverlayReader } from '../../../db/gateway/providers/read-overlay.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { Notifications } from '../../../db/kernel/notifications.ts'
import { askOnce } from './ask-once.ts'
import type { ModelDeps, ModelSettings } from './deps.ts'
import { findWay } from './ways.ts'

/** Opens the port of models, with readers, budgets and connections of its own, until it is closed. */
export function openModels(
  {
    db,
    notifications,
    limits,
    now,
  }: {
    readonly db: Database
    readonly notifications: Notifications
    readonly limits: Limits
    readonly now: () => Date
  },
  settings: ModelSettings,
): ModelPort & { close(): Promise<void> } {
  const vault = createVaultReader({ db, notifications })
  const overlays = createOverlayReader({ db, notifications })
  const deps: ModelDeps = {
    ...settings,
    teacherModel: settings.teacher?.provider.model ?? null,
    db,
    limits,
    now,
    vault,
    overlays,
    namespaces: createNamespaceReader({ db, notifications }),
    budgets: createBudgets({ db, now }),
    rates: createProviderRates(db),
    meter: createCallMeter({ db, notifications, limits, now }),
    upstream: openUpstream({
      connections: limits.gateway_connections,
      maxBytes: limits.gateway_answer_bytes,
      idleMs: limits.gateway_silence_s * 1000,
    }),
  }
  return {
    async open(caller, model) {
      const way = await findWay(deps, caller, model)
      return {
        identity: way.identity,
        provider: {
          ...way.provider,
          ask: async (request, signal) => await askOnce(deps, { caller, way, request, signal }),
          close: async () => undefined,
        },
      }
    },
    async close() {
      await deps.upstream.close()
      for (const part of [vault, overlays, deps.namespaces, deps.budgets]) part.close()
      // A lease that is not ended is taken back from a process that is gone.
      await deps.meter.close().catch((error: unknown) => db.warn(`quota: ${String(error)}`))
    },
  }
}

import { LRUCache } from 'lru-cache'
import { DEFAULT_SETTINGS, type NamespaceSettings } from '../../../core/gateway/namespaces/settings.ts'
import type { TermFinder } from '../../../core/gateway/privacy/scan/scan-text.ts'
import type { Database } from '../../kernel/database.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { readForgotten } from '../forgotten/read-forgotten.ts'
import { readStored } from './stored-settings.ts'

/** Settings of namespaces and forget lists, for every call of a model. */
export interface NamespaceReader {
  /** Returns the settings of a namespace; the defaults where none are stored. Throws `store_unavailable`. */
  read(tenantId: string, namespace: string): Promise<NamespaceSettings>
  /** Finds what the tenant has forgotten; null for nothing. Throws `store_unavailable`. */
  forgotten(tenantId: string): Promise<TermFinder | null>
  /** Drops what is cached of a tenant that this process changed; the others are notified a moment later. */
  forget(tenantId: string): void
  close(): void
}

interface OfTenant {
  readonly settings: ReadonlyMap<string, NamespaceSettings>
  readonly forgotten: TermFinder | null
}

const MOST = 5000
/** A lost notification would otherwise leave old settings in use forever. */
const TTL_MS = 300_000

/**
 * Opens the reader. A change anywhere drops the settings of its tenant on every process; while this process hears of no
 * changes, each call reads them anew.
 */
export function createNamespaceReader(deps: {
  readonly db: Database
  readonly notifications: Notifications
}): NamespaceReader {
  const { db, notifications } = deps
  const kept = new LRUCache<string, OfTenant>({ max: MOST, ttl: TTL_MS })
  const underWay = new Map<string, Promise<OfTenant>>()
  let generation = 0
  const forget = (tenantId: string): void => {
    generation++
    kept.delete(tenantId)
    underWay.delete(tenantId)
  }
  const stops = [
    notifications.on('svc_namespaces', forget),
    notifications.onReconnect(() => {
      generation++
      kept.clear()
      underWay.clear()
    }),
  ]
  const load = async (tenantId: string): Promise<OfTenant> => {
    const seen = generation
    const [rows, forgotten] = await Promise.all([
      tenantOf(db, tenantId).read((q) =>
        q.selectFrom('namespace_settings').select(['namespace', 'settings']).where('tenant_id', '=', tenantId),
      ),
      readForgotten(db, tenantId),
    ])
    const settings = new Map(rows.map((row) => [row.namespace, readStored(row.settings)]))
    const found = { settings, forgotten }
    if (seen === generation && notifications.isListening) kept.set(tenantId, found)
    return found
  }
  const loadOnce = async (tenantId: string): Promise<OfTenant> => {
    const loading = underWay.get(tenantId)
    if (loading !== undefined) return await loading
    const started = load(tenantId)
    underWay.set(tenantId, started)
    try {
      return await started
    } finally {
      if (underWay.get(tenantId) === started) underWay.delete(tenantId)
    }
  }
  const find = async (tenantId: string): Promise<OfTenant> => {
    const known = notifications.isListening ? kept.get(tenantId) : undefined
    return known ?? (await loadOnce(tenantId))
  }
  return {
    read: async (tenantId, namespace) => (await find(tenantId)).settings.get(namespace) ?? DEFAULT_SETTINGS,
    forgotten: async (tenantId) => (await find(tenantId)).forgotten,
    forget,
    close() {
      for (const stop of stops) stop()
      kept.clear()
    },
  }
}

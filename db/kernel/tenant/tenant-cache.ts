import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../../core/kernel/storage/cache-entries.ts'
import type { Channel, Notifications } from '../notifications.ts'

/** Values by tenant, read once and kept until they change. */
export interface TenantCache<Value> {
  /** Returns the tenant's value. Throws what reading it throws. */
  read(tenantId: string): Promise<Value>
  /** Drops the tenant's value in this process, which so sees its own change at once. */
  forget(tenantId: string): void
  close(): void
}

const MOST = 5000
/** A lost notification would otherwise leave an old value in use forever. */
const TTL_MS = 300_000

/**
 * Opens a cache of what `load` reads for a tenant. A notification with the tenant's id on the channel drops its value on
 * every process; while this process receives no notifications, each read loads anew. Concurrent reads share one load.
 */
export function createTenantCache<Value extends object>(deps: {
  readonly notifications: Notifications
  readonly channel: Channel
  readonly load: (tenantId: string) => Promise<Value>
}): TenantCache<Value> {
  const { notifications, channel, load } = deps
  const kept = new LRUCache<string, Value>({ ...boundedBy(MOST), ttl: TTL_MS })
  const underWay = new Map<string, Promise<Value>>()
  let generation = 0
  const forget = (tenantId: string): void => {
    generation++
    kept.delete(tenantId)
    underWay.delete(tenantId)
  }
  const stops = [
    notifications.on(channel, forget),
    notifications.onReconnect(() => {
      generation++
      kept.clear()
      underWay.clear()
    }),
  ]
  const loadAndKeep = async (tenantId: string): Promise<Value> => {
    const seen = generation
    const value = await load(tenantId)
    if (seen === generation && notifications.isListening) kept.set(tenantId, value)
    return value
  }
  return {
    async read(tenantId) {
      const known = notifications.isListening ? kept.get(tenantId) : undefined
      if (known !== undefined) return known
      const loading = underWay.get(tenantId)
      if (loading !== undefined) return await loading
      const started = loadAndKeep(tenantId)
      underWay.set(tenantId, started)
      try {
        return await started
      } finally {
        if (underWay.get(tenantId) === started) underWay.delete(tenantId)
      }
    },
    forget,
    close() {
      for (const stop of stops) stop()
      kept.clear()
    },
  }
}

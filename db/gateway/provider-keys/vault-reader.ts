import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../../core/kernel/storage/cache-entries.ts'
import type { Database } from '../../kernel/database.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { resolveProviderKey, type ResolvedProviderKey, type ResolveProviderKeyInput } from './resolve-provider-key.ts'

/** Finds stored keys for calls. It remembers callers that have none, and never a key. */
export interface VaultReader {
  /** Returns the key for a call as `resolveProviderKey` does. */
  find(input: ResolveProviderKeyInput): Promise<ResolvedProviderKey | null>
  /** Drops what is remembered of a tenant that just stored a key; other processes are notified a moment later. */
  forget(tenantId: string): void
  close(): void
}

const MOST_TENANTS = 10_000
/** Bounds what no notification tells of, such as a team that gets another member. */
const TTL_MS = 10_000

/** Opens the reader: most callers use the operator's keys, and asking the database each time would cost as much as the call. */
export function createVaultReader({
  db,
  notifications,
}: {
  readonly db: Database
  readonly notifications: Notifications
}): VaultReader {
  const without = new LRUCache<string, Set<string>>({ ...boundedBy(MOST_TENANTS), ttl: TTL_MS })
  let changes = 0
  const forget = (tenantId: string): void => {
    changes++
    without.delete(tenantId)
  }
  const forgetAll = (): void => {
    changes++
    without.clear()
  }
  const stopHearing = notifications.on('svc_provider_keys', forget)
  const stopWatching = notifications.onReconnect(forgetAll)
  return {
    async find(input) {
      const { tenantId, memberId, teamId, provider } = input
      const caller = `${memberId} ${teamId} ${provider}`
      if (notifications.isListening && without.get(tenantId)?.has(caller) === true) return null
      const before = changes
      const found = await resolveProviderKey(db, input)
      // A key that was stored meanwhile may not be among what was read.
      if (found === null && before === changes) {
        const callers = without.get(tenantId)
        if (callers === undefined) without.set(tenantId, new Set([caller]))
        else callers.add(caller)
      }
      return found
    },
    forget,
    close() {
      stopHearing()
      stopWatching()
      forgetAll()
    },
  }
}

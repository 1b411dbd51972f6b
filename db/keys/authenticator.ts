import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { PlanId } from '../../core/tenancy/plans.ts'
import type { Database } from '../database.ts'
import type { Notifications } from '../notifications.ts'
import type { ScryptParameters } from './api-key.ts'
import { matchesHash, parseKey, SCRYPT, type KeyHalves } from './key-text.ts'
import type { Principal } from './principal.ts'

/** Checks API keys, and remembers those that were right. */
export interface KeyAuthenticator {
  /** The principal of a key; null for any key that is not good, whatever the reason. Throws `busy` under a flood. */
  authenticate(apiKey: string, caller?: KeyCaller): Promise<Principal | null>
  close(): void
}

/** What is known of who shows a key. */
export interface KeyCaller {
  /** Has shown many wrong keys: a key that nobody has is refused without the hash that would hide that nobody has it. */
  readonly isSuspect: boolean
}

interface StoredKey {
  readonly keyId: string
  readonly tenantId: string
  readonly plan: PlanId
  readonly kind: 'primary' | 'scoped'
  readonly scopes: readonly string[]
  readonly salt: Uint8Array
  readonly hash: Uint8Array
  readonly scrypt: ScryptParameters
  readonly expiresAt: Date | null
}

interface KnownKey {
  readonly principal: Principal
  readonly expiresAtMs: number
}

const MOST_KEYS = 10_000

/** Stands in for the row of a key that is not there, so that looking for it takes as long as for one that is. */
const NOBODY = { salt: new Uint8Array(16), hash: new Uint8Array(32), scrypt: SCRYPT }

/**
 * Opens the check of API keys. A right key is remembered by its SHA-256 for `key_cache_s` seconds after its last use;
 * a revocation anywhere drops it everywhere by a notification, and a lost listening connection drops all of them.
 */
export function createKeyAuthenticator(deps: {
  readonly db: Database
  readonly notifications: Notifications
  readonly limits: Limits
}): KeyAuthenticator {
  const { db, notifications, limits } = deps
  const ttlMs = limits.key_cache_s * 1000
  // Without a time to live the cache would remember for ever: a limit of 0 turns it off instead.
  const known = new LRUCache<string, KnownKey>({ max: MOST_KEYS, ttl: Math.max(ttlMs, 1), updateAgeOnGet: true })
  const underWay = new Map<string, Promise<KnownKey | null>>()
  let generation = 0
  const drop = (matches: (key: KnownKey) => boolean) => {
    generation++
    for (const [digest, key] of known.entries()) if (matches(key)) known.delete(digest)
  }
  const stopHearing = notifications.on('svc_keys', (id) =>
    drop(({ principal }) => principal.keyId === id || principal.tenantId === id),
  )
  const stopWatching = notifications.onReconnect(() => drop(() => true))

  const check = async (
    { lookupId, secret }: KeyHalves,
    digest: string,
    isSuspect: boolean,
  ): Promise<KnownKey | null> => {
    const seen = generation
    const stored = await findStoredKey(db, lookupId)
    if (stored === null && isSuspect) return null
    const isRight = await db.hashSlots.run(() => matchesHash(secret, stored ?? NOBODY))
    if (!isRight || stored === null) return null
    const { tenantId, plan, keyId, kind, scopes } = stored
    const key = {
      principal: { tenantId, plan, keyId, kind, scopes },
      expiresAtMs: stored.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    }
    // A key that was revoked while it was being checked must not be remembered.
    if (ttlMs > 0 && seen === generation) known.set(digest, key)
    return key
  }

  return {
    async authenticate(apiKey, caller) {
      // What has not the form of a key costs nothing: that it is none is no secret.
      const halves = parseKey(apiKey)
      if (halves === null) return null
      const digest = createHash('sha256').update(apiKey).digest('base64')
      let key: KnownKey | null | undefined = known.get(digest)
      if (key === undefined) {
        let checking = underWay.get(digest)
        if (checking === undefined) {
          checking = check(halves, digest, caller?.isSuspect === true).finally(() => underWay.delete(digest))
          underWay.set(digest, checking)
        }
        key = await checking
      }
      return key === null || key.expiresAtMs <= Date.now() ? null : key.principal
    },
    close() {
      stopHearing()
      stopWatching()
      known.clear()
    },
  }
}

async function findStoredKey(db: Database, lookupId: string): Promise<StoredKey | null> {
  const [row] = await db.query<StoredKey>(
    `select k.id as "keyId", k.tenant_id as "tenantId", t.plan, k.kind, k.scopes, k.salt, k.hash, k.scrypt,
       k.expires_at as "expiresAt"
     from api_keys k join tenants t on t.id = k.tenant_id
     where k.lookup_id = $1 and k.revoked_at is null`,
    [lookupId],
  )
  return row ?? null
}

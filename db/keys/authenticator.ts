import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { DomainError } from '../../core/errors.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { PlanId } from '../../core/tenancy/plans.ts'
import type { Database } from '../database.ts'
import type { Notifications } from '../notifications.ts'
import type { ScryptParameters } from './api-key.ts'
import { matchesHash, parseKey, SCRYPT, type KeyHalves } from './key-text.ts'
import type { Principal } from './principal.ts'

/** Checks API keys, and remembers those that were right. */
export interface KeyAuthenticator {
  /**
   * The principal of a key; null for any key that is not good, whatever the reason. Throws `anon_expired` for the token
   * of an anonymous workspace whose time is over, and `busy` under a flood.
   */
  authenticate(apiKey: string, caller?: KeyCaller): Promise<Principal | null>
  /** Drops a key that was just ended at once, or all of a member or a tenant; other processes hear of it a moment later. */
  forget(id: string): void
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
  readonly quota: number | null
  readonly kind: 'primary' | 'scoped' | 'anonymous' | 'scim'
  readonly memberId: string | null
  readonly teamId: string | null
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
 * a revocation anywhere drops it everywhere by a notification that names the key, its member or its tenant, and a lost
 * listening connection drops all of them.
 */
export function createKeyAuthenticator(deps: {
  readonly db: Database
  readonly notifications: Notifications
  readonly limits: Limits
  readonly now: () => Date
}): KeyAuthenticator {
  const { db, notifications, limits, now } = deps
  const ttlMs = limits.key_cache_s * 1000
  // Without a time to live the cache would remember for ever: a limit of 0 turns it off instead.
  const known = new LRUCache<string, KnownKey>({ max: MOST_KEYS, ttl: Math.max(ttlMs, 1), updateAgeOnGet: true })
  const underWay = new Map<string, Promise<KnownKey | null>>()
  let generation = 0
  const drop = (matches: (key: KnownKey) => boolean) => {
    generation++
    for (const [digest, key] of known.entries()) if (matches(key)) known.delete(digest)
  }
  const forget = (id: string) =>
    drop(({ principal }) => principal.keyId === id || principal.tenantId === id || principal.memberId === id)
  const stopHearing = notifications.on('svc_keys', forget)
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
    const { tenantId, plan, quota, keyId, kind, memberId, teamId, scopes } = stored
    const key = {
      principal: { tenantId, plan, quota, kind, keyId, memberId, teamId, scopes },
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
      if (key === null) return null
      if (key.expiresAtMs > now().getTime()) return key.principal
      if (key.principal.kind !== 'anonymous') return null
      throw new DomainError('anon_expired', 'the anonymous workspace has expired', {
        details: { expired_at: new Date(key.expiresAtMs).toISOString() },
      })
    },
    forget,
    close() {
      stopHearing()
      stopWatching()
      known.clear()
    },
  }
}

async function findStoredKey(db: Database, lookupId: string): Promise<StoredKey | null> {
  const [row] = await db.query<StoredKey>(
    `select k.id as "keyId", k.tenant_id as "tenantId", t.plan, t.quota_override as quota, k.kind,
       k.member_id as "memberId", k.team_id as "teamId", k.scopes, k.salt, k.hash, k.scrypt,
       least(k.expires_at, t.expires_at) as "expiresAt"
     from api_keys k join tenants t on t.id = k.tenant_id left join members m on m.id = k.member_id
     where k.lookup_id = $1 and k.revoked_at is null
       and (t.deleted_at is null or (t.kind = 'anonymous' and t.claimed_into is null and t.expires_at is not null))
       and (m.id is null or m.state = 'active')`,
    [lookupId],
  )
  return row ?? null
}

import { createHash } from 'node:crypto'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Limits } from '../../../../core/accounts/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import type { Notifications } from '../../../kernel/notifications.ts'
import { findStoredKey } from '../../across/authentication/stored-key.ts'
import { matchesHash, prefixOf, SCRYPT } from '../key-text.ts'
import { parseKey, type KeyHalves } from '../../../../core/kernel/key-text.ts'
import type { Principal } from '../../../kernel/tenant/principal.ts'
import { createRemembered, orRemembered } from './remembered.ts'

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
  /**
   * Has shown many wrong keys: a key that nobody has is refused without the hash that would hide that nobody has it, and
   * any other is hashed only when nobody else waits.
   */
  readonly isSuspect: boolean
}

interface KnownKey {
  readonly principal: Principal
  readonly expiresAtMs: number
}

/** Stands in for the row of a key that is not there, so that looking for it takes as long as for one that is. */
const NOBODY = { salt: new Uint8Array(16), hash: new Uint8Array(32), scrypt: SCRYPT }

/**
 * Opens the check of API keys. A right key is remembered by its SHA-256 for `key_cache_s` seconds after its last use;
 * a revocation anywhere drops it everywhere by a notification that names the key, its member or its tenant. A process
 * that hears of nothing, since its listening connection is lost, looks each of them up again, without the hash; only
 * while the database does not answer at all, what is remembered counts.
 */
export function createKeyAuthenticator(deps: {
  readonly db: Database
  readonly notifications: Notifications
  readonly limits: Limits
  readonly now: () => Date
}): KeyAuthenticator {
  const { db, notifications, limits, now } = deps
  const remembered = createRemembered<KnownKey>({ ttlMs: limits.key_cache_s * 1000 })
  const underWay = new Map<string, Promise<KnownKey | null>>()
  const stopHearing = notifications.on('svc_keys', remembered.forget)
  const stopWatching = notifications.onReconnect(remembered.forgetAll)

  const isStillThere = async ({ lookupId }: KeyHalves): Promise<boolean> => {
    const look = async () => (await findStoredKey(db, lookupId)) !== null
    return await orRemembered(look(), true)
  }
  const check = async (halves: KeyHalves, digest: string, isSuspect: boolean): Promise<KnownKey | null> => {
    const { prefix, lookupId, secret } = halves
    const lookUp = remembered.lookUp(digest)
    try {
      const found = await findStoredKey(db, lookupId)
      const stored = found !== null && prefixOf(found.kind) === prefix ? found : null
      if (stored === null && isSuspect) return null
      const hash = async () => await matchesHash(secret, stored ?? NOBODY)
      const isRight = await (isSuspect ? db.hashSlots.runIdly(hash) : db.hashSlots.run(hash))
      if (!isRight || stored === null) return null
      const { tenantId, plan, quota, keyId, kind, memberId, teamId, scopes } = stored
      const key = {
        principal: { tenantId, plan, quota, kind, keyId, memberId, teamId, scopes },
        expiresAtMs: stored.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
      }
      // Ended while its hash was computed: a call that came after the end may wait for this very check.
      return lookUp.keep(key) || (await isStillThere(halves)) ? key : null
    } finally {
      lookUp.end()
    }
  }

  /** The same key that comes many times at once is checked once. */
  const checkOnce = async (halves: KeyHalves, digest: string, isSuspect: boolean): Promise<KnownKey | null> => {
    const checking = underWay.get(digest) ?? check(halves, digest, isSuspect).finally(() => underWay.delete(digest))
    underWay.set(digest, checking)
    return await checking
  }

  return {
    async authenticate(apiKey, caller) {
      // What has not the form of a key costs nothing: that it is none is no secret.
      const halves = parseKey(apiKey)
      if (halves === null) return null
      const digest = createHash('sha256').update(apiKey).digest('base64')
      const known = remembered.get(digest)
      const isSure = known !== undefined && (notifications.isListening || (await isStillThere(halves)))
      const key = isSure ? known : await checkOnce(halves, digest, caller?.isSuspect === true)
      if (key === null) return null
      if (key.expiresAtMs > now().getTime()) return key.principal
      if (key.principal.kind !== 'anonymous') return null
      throw KERNEL_ERRORS.anon_expired('the anonymous workspace has expired', {
        details: { expired_at: new Date(key.expiresAtMs).toISOString() },
      })
    },
    forget: remembered.forget,
    close() {
      stopHearing()
      stopWatching()
      remembered.forgetAll()
    },
  }
}

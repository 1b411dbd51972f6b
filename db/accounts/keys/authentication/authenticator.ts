import { hash } from 'node:crypto'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Limits } from '../../../../core/accounts/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import type { Notifications } from '../../../kernel/notifications.ts'
import { findStoredKey } from '../../across/authentication/stored-key.ts'
import { matchesHash, prefixOf, SCRYPT } from '../key-text.ts'
import { parseKey, type KeyHalves } from '../../../../core/kernel/tenant/key-text.ts'
import type { Principal } from '../../../kernel/tenant/principal.ts'
import { createRemembered, orRemembered } from './remembered.ts'

/** Checks API keys and caches valid ones. */
export interface KeyAuthenticator {
  /**
   * Returns the principal of a key; null for any invalid key, whatever the reason. Throws `anon_expired` for the token
   * of an expired anonymous workspace, and `busy` under a flood.
   */
  authenticate(apiKey: string, caller?: KeyCaller): Promise<Principal | null>
  /** Drops a key that just ended, or all keys of a member or a tenant; other processes are notified a moment later. */
  forget(id: string): void
  close(): void
}

/** State of the caller who presents a key. */
export interface KeyCaller {
  /**
   * True for a caller that sent many wrong keys: an unknown key is refused without the hash that would hide that it
   * does not exist, and any other is hashed only when no other check waits.
   */
  readonly isSuspect: boolean
}

interface KnownKey {
  readonly principal: Principal
  readonly expiresAtMs: number
}

/** Stands in for the row of an unknown key, so that the check takes as long as for a known one. */
const UNKNOWN_KEY = { salt: new Uint8Array(16), hash: new Uint8Array(32), scrypt: SCRYPT }

/**
 * Opens the check of API keys. A valid key is cached by its SHA-256 for `key_cache_s` seconds after its last use; a
 * revocation anywhere drops it everywhere by a notification that names the key, its member or its tenant. A process
 * that gets no notifications, since its listening connection is lost, looks each key up again, without the hash; only
 * while the database does not answer at all, the cached result counts.
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
      const compare = async () => await matchesHash(secret, stored ?? UNKNOWN_KEY)
      const isRight = await (isSuspect ? db.hashSlots.runIdly(compare) : db.hashSlots.run(compare))
      if (!isRight || stored === null) return null
      const { tenantId, plan, quota, keyId, kind, memberId, teamId, scopes } = stored
      const key = {
        principal: { tenantId, plan, quota, kind, keyId, memberId, teamId, scopes },
        expiresAtMs: stored.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
      }
      // The key ended while its hash was computed: a later call may be waiting for this very check.
      return lookUp.keep(key) || (await isStillThere(halves)) ? key : null
    } finally {
      lookUp.end()
    }
  }

  /** Concurrent checks of one key share one check. */
  const checkOnce = async (halves: KeyHalves, digest: string, isSuspect: boolean): Promise<KnownKey | null> => {
    const checking = underWay.get(digest) ?? check(halves, digest, isSuspect).finally(() => underWay.delete(digest))
    underWay.set(digest, checking)
    return await checking
  }

  return {
    async authenticate(apiKey, caller) {
      // A text without the form of a key is refused at no cost: that it is none is no secret.
      const halves = parseKey(apiKey)
      if (halves === null) return null
      const digest = hash('sha256', apiKey, 'base64')
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

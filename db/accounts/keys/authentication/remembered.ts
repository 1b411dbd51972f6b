import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../../../core/kernel/storage/cache-entries.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { within } from '../../../kernel/database.ts'
import type { Principal } from '../../../kernel/tenant/principal.ts'

/** A valid credential. */
interface Found {
  readonly principal: Principal
}

/** A credential being looked up. */
export interface LookUp<T> {
  /**
   * Caches the result. Returns false, and caches nothing, when something that it depends on has ended since the look-up
   * began.
   */
  keep(value: T): boolean
  /** Ends the look-up, whatever its result: it caches nothing any more. */
  end(): void
}

/**
 * Caches valid credentials by digest, each for a limited time or until its key, session, member or tenant ends.
 * Dropping one costs the same however many are cached.
 */
export interface Remembered<T> {
  get(digest: string): T | undefined
  lookUp(digest: string): LookUp<T>
  /** Drops all that depend on the key, session, member or tenant with this id, including those being looked up. */
  readonly forget: (id: string) => void
  readonly forgetAll: () => void
}

const MOST = 10_000
/** Time that a call waits for the database before the cached result counts. */
const PATIENCE_MS = 1000

/** Caches each for `ttlMs` after its last use; 0 caches nothing. */
export function createRemembered<T extends Found>({ ttlMs }: { readonly ttlMs: number }): Remembered<T> {
  const digestsOf = new Map<string, Set<string>>()
  /** The ids that ended during each look-up under way. */
  const underWay = new Set<{ readonly ended: Set<string>; isVoid: boolean }>()
  const known = new LRUCache<string, T>({
    ...boundedBy(MOST),
    // Without a time to live the cache would never expire.
    ttl: Math.max(ttlMs, 1),
    updateAgeOnGet: true,
    dispose: ({ principal }, digest) => {
      for (const id of idsOf(principal)) {
        const digests = digestsOf.get(id)
        digests?.delete(digest)
        if (digests?.size === 0) digestsOf.delete(id)
      }
    },
  })
  const keep = (digest: string, value: T): void => {
    known.set(digest, value)
    for (const id of idsOf(value.principal)) {
      const digests = digestsOf.get(id) ?? new Set()
      digestsOf.set(id, digests.add(digest))
    }
  }
  return {
    get: (digest) => known.get(digest),
    lookUp(digest) {
      const look = { ended: new Set<string>(), isVoid: ttlMs === 0 }
      underWay.add(look)
      return {
        keep(value) {
          if (look.isVoid || idsOf(value.principal).some((id) => look.ended.has(id))) return false
          keep(digest, value)
          return true
        },
        end() {
          // An abandoned look-up is not notified of ids that end after it.
          look.isVoid = true
          underWay.delete(look)
        },
      }
    },
    forget(id) {
      for (const { ended } of underWay) ended.add(id)
      for (const digest of digestsOf.get(id) ?? []) known.delete(digest)
    },
    forgetAll() {
      for (const look of underWay) look.isVoid = true
      known.clear()
    },
  }
}

/** Returns the result of a query, or the cached result while the database does not answer. */
export async function orRemembered<T>(query: Promise<T>, known: T): Promise<T> {
  try {
    return await within(PATIENCE_MS, query)
  } catch (error) {
    if (KERNEL_ERRORS.store_unavailable.matches(error)) return known
    throw error
  }
}

/** Returns the ids that a credential depends on. */
function idsOf({ tenantId, keyId, memberId, sessionId }: Principal): readonly string[] {
  return [tenantId, keyId, memberId, sessionId].filter((id) => id !== null && id !== undefined)
}

import { LRUCache } from 'lru-cache'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { within } from '../../../kernel/database.ts'
import type { Principal } from '../../../kernel/tenant/principal.ts'

/** A credential that was found good. */
interface Found {
  readonly principal: Principal
}

/** A credential that is being looked up. */
export interface LookUp<T> {
  /** Remembers what was found; false, and nothing, when something that it depends on has ended since the look-up began. */
  keep(value: T): boolean
  /** The look-up is over, whatever came of it: it keeps nothing any more. */
  end(): void
}

/**
 * Credentials that were found good, by a digest of theirs, each until a while has passed or one of the things ends that
 * it depends on: its key, session, member or tenant. Forgetting one costs the same however many are remembered.
 */
export interface Remembered<T> {
  get(digest: string): T | undefined
  lookUp(digest: string): LookUp<T>
  /** Drops all that depend on the key, session, member or tenant with this id, those that are being looked up too. */
  readonly forget: (id: string) => void
  readonly forgetAll: () => void
}

const MOST = 10_000
/** How long a call waits for the database before what is remembered counts. */
const PATIENCE_MS = 1000

/** Remembers each for `ttlMs` after its last use; 0 remembers nothing. */
export function createRemembered<T extends Found>({ ttlMs }: { readonly ttlMs: number }): Remembered<T> {
  const digestsOf = new Map<string, Set<string>>()
  /** The ids that ended during each look-up under way. */
  const underWay = new Set<{ readonly ended: Set<string>; isVoid: boolean }>()
  const known = new LRUCache<string, T>({
    max: MOST,
    // Without a time to live the cache would remember for ever.
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
          // Nobody tells a look-up that was given up what ended after it.
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

/** What a query answers; what is remembered while the database does not answer. */
export async function orRemembered<T>(query: Promise<T>, known: T): Promise<T> {
  try {
    return await within(PATIENCE_MS, query)
  } catch (error) {
    if (KERNEL_ERRORS.store_unavailable.matches(error)) return known
    throw error
  }
}

/** What a credential depends on. */
function idsOf({ tenantId, keyId, memberId, sessionId }: Principal): readonly string[] {
  return [tenantId, keyId, memberId, sessionId].filter((id) => id !== null && id !== undefined)
}

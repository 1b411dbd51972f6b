import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../../core/kernel/storage/cache-entries.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { storedBytesOf } from '../../../core/kernel/tenant/stored-bytes.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'

/** The tenant whose answers are kept. */
type Keeper = Pick<Principal, 'tenantId' | 'plan' | 'kind'>

/**
 * Bounds the bytes of a tenant's answers that are kept for calls with an Idempotency-Key: as many within the time that
 * one is kept as the plan stores in all. Calls may cost no units, and what is kept for them fills the same disk. Counted
 * by each process for itself.
 */
export interface KeptBytes {
  /** Throws `rate_limited` when the answers that are kept for the tenant take all that they may. */
  requireRoom(keeper: Keeper): void
  /** Counts an answer. */
  add(keeper: Keeper, text: string): void
}

/** Tenants that are counted at once; of more, those that called last. */
const MOST_TENANTS = 50_000
/** Bytes of a row beside its answer. */
const ROW_BYTES = 500
const HOUR_MS = 3_600_000

/** Opens the counts of a process. */
export function createKeptBytes(limits: Limits, now = () => performance.now()): KeptBytes {
  const counts = new LRUCache<string, { readonly endsAt: number; bytes: number }>(boundedBy(MOST_TENANTS))
  const countOf = (tenantId: string) => {
    const known = counts.get(tenantId)
    if (known !== undefined && known.endsAt > now()) return known
    const begun = { endsAt: now() + limits.idempotency_hours * HOUR_MS, bytes: 0 }
    counts.set(tenantId, begun)
    return begun
  }
  return {
    requireRoom({ tenantId, plan, kind }) {
      const { bytes, endsAt } = countOf(tenantId)
      if (bytes < storedBytesOf({ plan, isAnonymous: kind === 'anonymous' }, limits)) return
      const retryAfterS = Math.max(1, Math.ceil((endsAt - now()) / 1000))
      throw KERNEL_ERRORS.rate_limited(
        `too many answers are kept for calls with an Idempotency-Key; send calls without one, or wait ${retryAfterS} s`,
        { retryAfterS },
      )
    },
    add({ tenantId }, text) {
      countOf(tenantId).bytes += Buffer.byteLength(text) + ROW_BYTES
    },
  }
}

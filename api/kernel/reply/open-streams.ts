import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'

/** Counts the open streams of each tenant in this process. */
export interface OpenStreams {
  /** Counts one more and answers what counts it out again, once. Throws `rate_limited` at `max`. */
  enter(tenantId: string, max: number): () => void
  /** Returns how many are open under a name. */
  count(tenantId: string): number
}

/** No streams yet. */
export function createOpenStreams(): OpenStreams {
  const open = new Map<string, number>()
  return {
    count: (tenantId) => open.get(tenantId) ?? 0,
    enter(tenantId, max) {
      const count = open.get(tenantId) ?? 0
      if (count >= max) {
        throw KERNEL_ERRORS.rate_limited(`more than ${max} streams or calls of this kind at once`, { retryAfterS: 5 })
      }
      open.set(tenantId, count + 1)
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        const left = (open.get(tenantId) ?? 1) - 1
        if (left === 0) open.delete(tenantId)
        else open.set(tenantId, left)
      }
    },
  }
}

import { KERNEL_ERRORS, type DomainError } from '../../errors.ts'

/** Bounds how many hashes this process computes at once. */
export interface HashSlots {
  /**
   * Runs the work at its turn. Throws `busy` when too much work waits already, in total or for its tenant, so that one
   * tenant cannot fill the queue.
   */
  readonly run: <T>(work: () => Promise<T>, tenantId?: string) => Promise<T>
  /** Runs the work only if no other work runs or waits, so that it delays none. Throws `busy` otherwise. */
  readonly runIdly: <T>(work: () => Promise<T>) => Promise<T>
}

/** Number of hashes computed at once: each takes one of the four threads that file access needs too. */
const RUNNING = 2
/** Maximum number of waiting calls. */
const WAITING = 512
/** Maximum number of running and waiting calls of one tenant. */
const OF_ONE_TENANT = 64

/** Makes the slots of a process. */
export function createHashSlots(): HashSlots {
  let running = 0
  const waiting: (() => void)[] = []
  const perTenant = new Map<string, number>()

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= RUNNING) {
      if (waiting.length >= WAITING) throw busy()
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
  return {
    async run(work, tenantId) {
      if (tenantId === undefined) return await inTurn(work)
      const under = perTenant.get(tenantId) ?? 0
      if (under >= OF_ONE_TENANT) throw busy()
      perTenant.set(tenantId, under + 1)
      try {
        return await inTurn(work)
      } finally {
        const left = (perTenant.get(tenantId) ?? 1) - 1
        if (left === 0) perTenant.delete(tenantId)
        else perTenant.set(tenantId, left)
      }
    },
    async runIdly(work) {
      if (running > 0) throw busy()
      return await inTurn(work)
    },
  }
}

function busy(): DomainError {
  return KERNEL_ERRORS.busy('too many keys to check', { retryAfterS: 1 })
}

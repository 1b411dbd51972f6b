import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DomainError } from '../../../../core/kernel/errors.ts'
import type { Database } from '../../../kernel/database.ts'
import { allowanceUsed } from '../../../kernel/storage/allowance.ts'
import { holdBytes } from '../../../kernel/storage/hold-bytes.ts'

/** Room that is asked for. */
interface Promised {
  readonly tenantId: string
  readonly bytes: number
  readonly limitBytes: number
}

interface Waiting extends Promised {
  /** True once the caller waits no longer. */
  isLetIn: boolean
  readonly settle: (refusal: DomainError | null) => void
}

/** The share of one tenant. */
interface Share {
  readonly holdId: string
  heldBytes: number
  /** Bytes that are stored, and that are to be added to the count, which was locked. */
  missedBytes: number
  /** True when the rows are to be counted again. */
  isDue: boolean
  waiting: Waiting[]
  /** True when the database has not got a change yet. */
  isChanged: boolean
  running: Promise<void> | undefined
}

/** Time in which releases and missed bytes gather. */
const GATHER_MS = 200
/** Interval at which shares are stated again: those of dead processes are collected after 15 minutes. */
const RENEW_MS = 60_000

/**
 * Holds room in the allowances of tenants for contents that are promised before they are known, across processes: each has
 * one row a tenant, and calls that ask at the same time share a transaction. Bytes of commits that found a tenant's count
 * locked, and recounts of its rows, take turns with the changes of its row.
 */
export class PromisedRoom {
  readonly #db: Database
  readonly #now: () => Date
  readonly #waitMs: number
  readonly #besideBytes: (tenantId: string) => number
  readonly #onCounted: (tenantId: string, usedBytes: number) => void
  readonly #shares = new Map<string, Share>()
  readonly #renewal: NodeJS.Timeout

  /**
   * `waitMs` bounds the wait for the database; `besideBytes` are those that this process stores beside the promised ones and that
   * no count holds yet; `onCounted` gets the counts that the database answers.
   */
  constructor(options: {
    readonly db: Database
    readonly now: () => Date
    readonly waitMs: number
    readonly besideBytes: (tenantId: string) => number
    readonly onCounted: (tenantId: string, usedBytes: number) => void
  }) {
    this.#db = options.db
    this.#now = options.now
    this.#waitMs = options.waitMs
    this.#besideBytes = options.besideBytes
    this.#onCounted = options.onCounted
    this.#renewal = setInterval(() => this.#renew(), RENEW_MS).unref()
  }

  /**
   * Holds room until it is released. Throws `storage_allowance_used` where there is none. A database that is away refuses
   * nothing: the room is held once it answers.
   */
  async hold(promised: Promised): Promise<void> {
    const share = this.#shareOf(promised.tenantId)
    const { promise, resolve } = Promise.withResolvers<DomainError | null>()
    const waiting: Waiting = { ...promised, isLetIn: false, settle: resolve }
    share.waiting.push(waiting)
    this.#run(promised.tenantId, share)
    const stop = new AbortController()
    const late = sleep(this.#waitMs, null, { signal: stop.signal, ref: false }).catch(() => null)
    const refusal = await Promise.race([promise, late])
    stop.abort()
    waiting.isLetIn = true
    if (refusal !== null) throw refusal
  }

  /** Returns bytes that were held. */
  release(tenantId: string, bytes: number): void {
    this.#shareOf(tenantId).heldBytes -= bytes
    this.#changeSoon(tenantId)
  }

  /** Takes bytes that were stored while the count was locked, which is to get them. */
  addMissed(tenantId: string, bytes: number): void {
    this.#shareOf(tenantId).missedBytes += bytes
    this.#changeSoon(tenantId)
  }

  /** Bytes that were stored and that the count has not got yet. */
  missedBytes(tenantId: string): number {
    return this.#shares.get(tenantId)?.missedBytes ?? 0
  }

  /** Has the rows of a tenant counted again, beside the calls. */
  recount(tenantId: string): void {
    const share = this.#shareOf(tenantId)
    share.isDue = true
    share.isChanged = true
    this.#run(tenantId, share)
  }

  /** States the last changes and ends. */
  async close(): Promise<void> {
    clearInterval(this.#renewal)
    for (const [tenantId, share] of this.#shares) {
      await share.running
      this.#run(tenantId, share)
      await share.running
    }
  }

  #changeSoon(tenantId: string): void {
    const share = this.#shareOf(tenantId)
    share.isChanged = true
    setTimeout(() => this.#run(tenantId, share), GATHER_MS).unref()
  }

  #shareOf(tenantId: string): Share {
    const known = this.#shares.get(tenantId)
    if (known !== undefined) return known
    const share: Share = {
      holdId: randomUUID(),
      heldBytes: 0,
      missedBytes: 0,
      isDue: false,
      waiting: [],
      isChanged: false,
      running: undefined,
    }
    this.#shares.set(tenantId, share)
    return share
  }

  #renew(): void {
    for (const [tenantId, share] of this.#shares) {
      share.isChanged = true
      this.#run(tenantId, share)
    }
  }

  #run(tenantId: string, share: Share): void {
    share.running ??= this.#settle(tenantId, share).finally(() => {
      share.running = undefined
      // A call may have come since the last look.
      if (share.waiting.length > 0) this.#run(tenantId, share)
    })
  }

  /** Settles what waits, in one transaction at a time, until nothing does. Never throws. */
  async #settle(tenantId: string, share: Share): Promise<void> {
    while (share.waiting.length > 0 || share.isChanged) {
      const batch = share.waiting.splice(0)
      share.isChanged = false
      const { missedBytes, isDue } = share
      try {
        const { fits, usedBytes } = await holdBytes(
          this.#db,
          {
            tenantId,
            holdId: share.holdId,
            heldBytes: Math.max(0, share.heldBytes),
            asked: batch.map(({ bytes }) => bytes),
            besideBytes: this.#besideBytes(tenantId),
            missedBytes,
            isRecounted: isDue,
            limitBytes: batch.at(-1)?.limitBytes ?? 0,
          },
          this.#now(),
        )
        share.missedBytes -= missedBytes
        if (isDue) share.isDue = false
        this.#onCounted(tenantId, usedBytes)
        for (const [i, waiting] of batch.entries()) {
          const { bytes, limitBytes } = waiting
          if (fits[i] === true || waiting.isLetIn) share.heldBytes += bytes
          // The database does not know of it yet.
          if (fits[i] === false && waiting.isLetIn) share.isChanged = true
          waiting.settle(fits[i] === true ? null : allowanceUsed({ limitBytes, usedBytes }, bytes))
        }
      } catch {
        for (const waiting of batch) {
          share.heldBytes += waiting.bytes
          waiting.settle(null)
        }
        share.isChanged = share.heldBytes !== 0 || share.missedBytes !== 0
        return
      }
    }
    const isEmpty = share.heldBytes === 0 && share.missedBytes === 0
    if (isEmpty && this.#shares.get(tenantId) === share) this.#shares.delete(tenantId)
  }
}

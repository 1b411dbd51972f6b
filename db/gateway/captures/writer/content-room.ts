import { LRUCache } from 'lru-cache'
import type { LeftOut } from '../../../../core/gateway/captures/recording/left-out.ts'
import { boundedBy } from '../../../../core/kernel/storage/cache-entries.ts'
import type { Limits } from '../../../../core/gateway/limits.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { storedBytesOf } from '../../../../core/kernel/tenant/stored-bytes.ts'
import { within, type Database } from '../../../kernel/database.ts'
import { allowanceUsed } from '../../../kernel/storage/allowance.ts'
import { readStoredCount, recountStoredBytes } from '../../../kernel/storage/count-stored.ts'
import type { Principal } from '../../../kernel/tenant/principal.ts'

/** The tenant whose capture is stored. */
type Storer = Pick<Principal, 'tenantId' | 'plan' | 'kind'>

/** Bytes of a content to store. */
interface ContentBytes {
  readonly storer: Storer
  readonly captureId: string
  /** The most that the content takes. */
  readonly bytes: number
}

/** The counts that are known of a tenant. */
interface Known {
  usedBytes: number
  /** Bytes that this process took and has not committed yet. */
  takenBytes: number
  /** By `performance.now()`. */
  readAt: number
  /** By `performance.now()`. */
  recountedAt: number
  /** True when the rows are to be counted again whatever their age. */
  isDue: boolean
  /** Of the last attempt to count the rows, by `performance.now()`. */
  triedAt: number
  reading: Promise<void> | undefined
  recounting: Promise<void> | undefined
}

/** Tenants that are known at once; of more, those that called last. */
const MOST_TENANTS = 50_000
/** Age of a count from which it is read again beside the call that uses it. */
const FRESH_MS = 1000
/** Time in which the count of a tenant that this process does not know is waited for. */
const WAIT_MS = 1000
/** Interval between recounts of the rows of a tenant, and of one at its limit. */
const RECOUNT_MS = 3_600_000
const RECOUNT_AT_LIMIT_MS = 60_000
/** Least time between two attempts: one that failed takes as long again. */
const RETRY_MS = 5000

/**
 * Decides whether contents of captures are stored: as long as the disk has room, and the large ones, which are blobs, as
 * long as they fit into the storage of their tenant's plan. What is known of a tenant is kept in memory and read again
 * beside the calls, so that only the first one waits.
 */
export class ContentRoom {
  readonly #db: Database
  readonly #limits: Limits
  readonly #take: (bytes: number) => void
  readonly #now: () => Date
  readonly #tenants = new LRUCache<string, Known>(boundedBy(MOST_TENANTS))
  readonly #work = new Set<Promise<void>>()
  /** Large contents that this process took and has not committed yet, by their capture. */
  readonly #taken = new Map<string, { readonly tenantId: string; readonly bytes: number }>()

  /** `take` counts bytes against the room of the disk, and throws `storage_full`. */
  constructor(options: {
    readonly db: Database
    readonly limits: Limits
    readonly take: (bytes: number) => void
    readonly now: () => Date
  }) {
    this.#db = options.db
    this.#limits = options.limits
    this.#take = options.take
    this.#now = options.now
  }

  /** Takes the bytes of a content and returns null, or why there is no room for it; then nothing is taken. */
  async take({ storer, captureId, bytes }: ContentBytes): Promise<LeftOut | null> {
    const known = this.#isLarge(bytes) ? await this.#known(storer.tenantId) : null
    if (known !== null && !this.#fits(known, storer, bytes)) return 'storage_allowance_used'
    try {
      this.#take(bytes)
    } catch (error) {
      if (KERNEL_ERRORS.storage_full.matches(error)) return 'storage_full'
      throw error
    }
    if (known !== null) {
      known.takenBytes += bytes
      this.#taken.set(captureId, { tenantId: storer.tenantId, bytes })
    }
    return null
  }

  /** Throws `storage_full` and `storage_allowance_used` where there is no room; takes nothing of the allowance. */
  async require({ storer, bytes }: Omit<ContentBytes, 'captureId'>): Promise<void> {
    this.#take(bytes)
    if (!this.#isLarge(bytes)) return
    const known = await this.#known(storer.tenantId)
    if (this.#fits(known, storer, bytes)) return
    throw allowanceUsed({ limitBytes: this.#limitOf(storer), usedBytes: known.usedBytes }, bytes)
  }

  /** Notes that the content of a capture is committed, or lost; once for each, and not for those of other processes. */
  release(captureId: string): void {
    const taken = this.#taken.get(captureId)
    if (taken === undefined) return
    this.#taken.delete(captureId)
    const known = this.#tenants.peek(taken.tenantId)
    if (known !== undefined) known.takenBytes = Math.max(0, known.takenBytes - taken.bytes)
  }

  /** Notes the counts after a commit; one that is absent could not be raised. */
  counted(tenantIds: Iterable<string>, counts: ReadonlyMap<string, number>): void {
    for (const tenantId of tenantIds) {
      const known = this.#tenants.peek(tenantId) ?? this.#begun(tenantId)
      const usedBytes = counts.get(tenantId)
      if (usedBytes !== undefined) {
        known.usedBytes = usedBytes
        continue
      }
      known.isDue = true
      this.#recount(tenantId, known)
    }
  }

  /** Resolves when nothing is read or counted any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#work)
  }

  #isLarge(bytes: number): boolean {
    return bytes > this.#limits.capture_inline_bytes
  }

  #limitOf({ plan, kind }: Storer): number {
    return storedBytesOf({ plan, isAnonymous: kind === 'anonymous' }, this.#limits)
  }

  #fits(known: Known, storer: Storer, bytes: number): boolean {
    if (known.usedBytes + known.takenBytes + bytes <= this.#limitOf(storer)) return true
    if (performance.now() - known.recountedAt >= RECOUNT_AT_LIMIT_MS) this.#recount(storer.tenantId, known)
    return false
  }

  /** Returns what is known, which is read again when it is old: at once for a tenant that was not known. */
  async #known(tenantId: string): Promise<Known> {
    const found = this.#tenants.get(tenantId)
    const known = found ?? this.#begun(tenantId)
    if (performance.now() - known.readAt >= FRESH_MS) this.#read(tenantId, known)
    // A database that is away stops no capture: what waits for it is bounded by the log.
    if (known.readAt === Number.NEGATIVE_INFINITY)
      await within(WAIT_MS, known.reading ?? Promise.resolve()).catch(() => undefined)
    return known
  }

  #begun(tenantId: string): Known {
    const known: Known = {
      usedBytes: 0,
      takenBytes: 0,
      readAt: Number.NEGATIVE_INFINITY,
      recountedAt: Number.NEGATIVE_INFINITY,
      isDue: false,
      triedAt: Number.NEGATIVE_INFINITY,
      reading: undefined,
      recounting: undefined,
    }
    this.#tenants.set(tenantId, known)
    return known
  }

  #read(tenantId: string, known: Known): void {
    if (known.reading !== undefined) return
    known.reading = this.#beside(async () => {
      try {
        const row = await readStoredCount(this.#db, tenantId)
        known.usedBytes = row?.usedBytes ?? 0
        const ageMs = row?.countedAt ? this.#now().getTime() - row.countedAt.getTime() : Number.POSITIVE_INFINITY
        known.recountedAt = performance.now() - ageMs
        if (known.isDue || ageMs >= RECOUNT_MS) this.#recount(tenantId, known)
      } finally {
        known.readAt = performance.now()
        known.reading = undefined
      }
    })
  }

  #recount(tenantId: string, known: Known): void {
    if (known.recounting !== undefined || performance.now() - known.triedAt < RETRY_MS) return
    known.triedAt = performance.now()
    known.isDue = false
    known.recountedAt = known.triedAt
    known.recounting = this.#beside(async () => {
      try {
        known.usedBytes = await recountStoredBytes(this.#db, tenantId, this.#now())
      } catch (error) {
        known.isDue = true
        throw error
      } finally {
        known.recounting = undefined
      }
    })
  }

  /** Runs work that no call waits for; a failure leaves the last count in force. */
  #beside(work: () => Promise<void>): Promise<void> {
    const running = work().catch(() => undefined)
    this.#work.add(running)
    void running.then(() => this.#work.delete(running))
    return running
  }
}

import { LRUCache } from 'lru-cache'
import type { LeftOut } from '../../../../core/gateway/captures/recording/left-out.ts'
import { boundedBy } from '../../../../core/kernel/storage/cache-entries.ts'
import type { Limits } from '../../../../core/gateway/limits.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { timerMs } from '../../../../core/kernel/threads/timers.ts'
import { storedBytesOf } from '../../../../core/kernel/tenant/stored-bytes.ts'
import { within, type Database } from '../../../kernel/database.ts'
import { allowanceUsed } from '../../../kernel/storage/allowance.ts'
import { readStoredCount } from '../../../kernel/storage/count-stored.ts'
import type { Principal } from '../../../kernel/tenant/principal.ts'
import { newKnown, type Known } from './known-count.ts'
import { PromisedRoom } from './promised-room.ts'

/** The tenant whose capture is stored. */
type Storer = Pick<Principal, 'tenantId' | 'plan' | 'kind'>

/** Bytes of a content to store. */
interface ContentBytes {
  readonly storer: Storer
  readonly captureId: string
  /** The most that the content takes. */
  readonly bytes: number
}

/** Room that this process took for the content of a capture. */
interface Taken {
  readonly tenantId: string
  /** Bytes that no count holds yet. */
  bytes: number
  /** Bytes that are held across processes. */
  readonly heldBytes: number
  /** True for a content that is stored whatever it takes. */
  readonly isPromised: boolean
  /** True once the call is over. */
  isSettled: boolean
}

/** Tenants that are known at once; of more, those that called last. */
const MOST_TENANTS = 50_000
/** Age of a count from which it is read again beside the call that uses it. */
const FRESH_MS = 1000
/** The same of its row: commits do not say when the rows were counted last. */
const ROW_FRESH_MS = 60_000
/** Time in which the count of a tenant that this process does not know is waited for. */
const WAIT_MS = 1000
/** Interval between recounts of the rows of a tenant, and of one at its limit. */
const RECOUNT_MS = 3_600_000
const RECOUNT_AT_LIMIT_MS = 60_000
/** Least time between two requests for a recount. */
const RETRY_MS = 5000

/**
 * Decides whether contents of captures are stored: as long as the disk has room, and they fit into the storage of their
 * tenant's plan. What is known of a tenant is kept in memory and read again beside the calls, so that only the first one
 * waits. Room for large contents that are promised is held across processes.
 */
export class ContentRoom {
  readonly #db: Database
  readonly #limits: Limits
  readonly #take: (bytes: number) => void
  readonly #now: () => Date
  readonly #tenants = new LRUCache<string, Known>(boundedBy(MOST_TENANTS))
  readonly #work = new Set<Promise<void>>()
  readonly #promised: PromisedRoom
  /** Contents that this process took and has not committed yet, by their capture. */
  readonly #taken = new Map<string, Taken>()

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
    this.#promised = new PromisedRoom({
      db: options.db,
      now: options.now,
      waitMs: timerMs(options.limits.capture_commit_s * 1000),
      besideBytes: (tenantId) => this.#tenants.peek(tenantId)?.takenBytes ?? 0,
      onCounted: (tenantId, usedBytes) => this.#learn(tenantId, usedBytes),
    })
  }

  /**
   * Takes the bytes of a content and returns null, or why there is no room for it; then nothing is taken. A content that was
   * promised has its room, and takes what it needs beyond it. May be called again with more bytes.
   */
  async take({ storer, captureId, bytes }: ContentBytes): Promise<LeftOut | null> {
    const { tenantId } = storer
    const before = this.#taken.get(captureId)
    const more = Math.max(0, bytes - (before === undefined ? 0 : before.bytes + before.heldBytes))
    const known = await this.#known(tenantId)
    const isPromised = before?.isPromised === true
    if (!isPromised && !this.#fits(known, storer, more)) return 'storage_allowance_used'
    try {
      this.#take(more)
    } catch (error) {
      if (!KERNEL_ERRORS.storage_full.matches(error)) throw error
      if (!isPromised) return 'storage_full'
    }
    known.takenBytes += more
    const taken = before ?? { tenantId, bytes: 0, heldBytes: 0, isPromised, isSettled: true }
    taken.bytes += more
    taken.isSettled = true
    this.#taken.set(captureId, taken)
    return null
  }

  /**
   * Promises room for a content before it is known, and holds it until it is released: a large one across processes. Throws
   * `storage_full` and `storage_allowance_used` where there is none.
   */
  async promise({ storer, captureId, bytes }: ContentBytes): Promise<void> {
    this.#take(bytes)
    const { tenantId } = storer
    const limitBytes = this.#limitOf(storer)
    const known = await this.#known(tenantId)
    const isHeld = bytes > this.#limits.capture_inline_bytes
    if (isHeld) await this.#promised.hold({ tenantId, bytes, limitBytes })
    else {
      if (!this.#fits(known, storer, bytes)) throw allowanceUsed({ limitBytes, usedBytes: known.usedBytes }, bytes)
      known.takenBytes += bytes
    }
    const [heldBytes, ownBytes] = isHeld ? [bytes, 0] : [0, bytes]
    this.#taken.set(captureId, { tenantId, bytes: ownBytes, heldBytes, isPromised: true, isSettled: false })
  }

  /** Bytes of a tenant that this process stores and that no count holds yet. */
  takenBytes(tenantId: string): number {
    return (this.#tenants.peek(tenantId)?.takenBytes ?? 0) + this.#promised.missedBytes(tenantId)
  }

  /** Notes that the content of a capture is committed, or lost; once for each, and not for those of other processes. */
  release(captureId: string): void {
    const taken = this.#taken.get(captureId)
    if (taken === undefined) return
    this.#taken.delete(captureId)
    const { tenantId, bytes, heldBytes } = taken
    if (heldBytes > 0) this.#promised.release(tenantId, heldBytes)
    const known = this.#tenants.peek(tenantId)
    if (known !== undefined) known.takenBytes = Math.max(0, known.takenBytes - bytes)
  }

  /** Releases the room of a call that ended before it was concluded: that of any other is released with its capture. */
  giveUp(captureId: string): void {
    if (this.#taken.get(captureId)?.isSettled === false) this.release(captureId)
  }

  /** Notes the bytes of a commit and the counts behind it. Bytes of a tenant whose count is absent enter it later. */
  counted(stored: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>): void {
    for (const [tenantId, bytes] of stored) {
      const usedBytes = counts.get(tenantId)
      if (usedBytes === undefined) this.#promised.addMissed(tenantId, bytes)
      else this.#learn(tenantId, usedBytes)
    }
  }

  /** Resolves when nothing is read, counted or held any more. */
  async close(): Promise<void> {
    await Promise.all(this.#work)
    await this.#promised.close()
  }

  #learn(tenantId: string, usedBytes: number): void {
    const known = this.#tenants.peek(tenantId) ?? this.#begun(tenantId)
    known.usedBytes = usedBytes
    known.readAt = performance.now()
  }

  #limitOf({ plan, kind }: Storer): number {
    return storedBytesOf({ plan, isAnonymous: kind === 'anonymous' }, this.#limits)
  }

  #fits(known: Known, storer: Storer, bytes: number): boolean {
    if (known.usedBytes + this.takenBytes(storer.tenantId) + bytes <= this.#limitOf(storer)) return true
    if (performance.now() - known.recountedAt >= RECOUNT_AT_LIMIT_MS) this.#recount(storer.tenantId, known)
    return false
  }

  /** Returns what is known, which is read again when it is old: at once for a tenant that was not known. */
  async #known(tenantId: string): Promise<Known> {
    const found = this.#tenants.get(tenantId)
    const known = found ?? this.#begun(tenantId)
    const now = performance.now()
    if (now - known.readAt >= FRESH_MS || now - known.rowReadAt >= ROW_FRESH_MS) this.#read(tenantId, known)
    // A database that is away stops no capture: what waits for it is bounded by the log.
    if (known.readAt === Number.NEGATIVE_INFINITY)
      await within(WAIT_MS, known.reading ?? Promise.resolve()).catch(() => undefined)
    return known
  }

  #begun(tenantId: string): Known {
    const known = newKnown()
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
        if (ageMs >= RECOUNT_MS) this.#recount(tenantId, known)
      } finally {
        known.readAt = known.rowReadAt = performance.now()
        known.reading = undefined
      }
    })
  }

  #recount(tenantId: string, known: Known): void {
    const now = performance.now()
    if (now - known.askedAt < RETRY_MS) return
    known.askedAt = known.recountedAt = now
    this.#promised.recount(tenantId)
  }

  /** Runs work that no call waits for; a failure leaves the last count in force. */
  #beside(work: () => Promise<void>): Promise<void> {
    const running = work().catch(() => undefined)
    this.#work.add(running)
    void running.then(() => this.#work.delete(running))
    return running
  }
}

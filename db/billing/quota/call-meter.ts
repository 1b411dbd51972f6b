import type { Limits } from '../../../core/billing/limits.ts'
import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { endLease, flushLeases, growLease, newLease, type Lease } from '../across/leases.ts'
import { periodOf } from './period.ts'
import { recallPayload, takeWithRecall } from './recall.ts'
import { LEASE_DEAD_AFTER_MS } from '../across/reclaim-leases.ts'
import { quotaExhausted, returnUnits } from './units.ts'
import { quotaOf, type QuotaTerms } from '../../../core/kernel/tenant/quota-of.ts'

/** Charges calls to the monthly quota of their tenant, mostly without asking the database. */
export interface CallMeter {
  /** Takes units. Throws `quota_exhausted` `{used, quota, resets_at}` when too few remain this month. */
  take(payer: Payer, units: number): Promise<Charge>
  /** Records the charged units. */
  flush(): Promise<void>
  /** Ends all leases and returns their uncharged units. */
  close(): Promise<void>
}

/** Units taken for one call. */
export interface Charge {
  /** Returns them to the month that they were taken from, once, when the call was not made after all. */
  refund(): void
}

/** The charged tenant, and the source of its quota. */
export interface Payer extends QuotaTerms {
  readonly tenantId: string
}

interface Waiter {
  readonly units: number
  readonly terms: QuotaTerms
  resolve(lease: Lease): void
  reject(error: unknown): void
}

interface Account {
  lease: Lease
  waiting: Waiter[]
  isGranting: boolean
  /** A failed request for this many units, and how long the result is cached. */
  exhausted: { readonly error: DomainError; readonly units: number; readonly untilMs: number } | null
}

const FLUSH_MS = 1000
/** Time for which a tenant without units is refused without asking the database again. */
const EXHAUSTED_MS = 250
/** An unused lease is returned after this time. */
const IDLE_MS = 30_000
/** Interval at which an unchanged lease is touched, so that its process does not count as dead. */
const TOUCH_MS = 15_000
/** A lease that could not be touched for this long may be reclaimed soon: it is not charged any more. */
const STALE_MS = LEASE_DEAD_AFTER_MS / 2

/**
 * Opens the meter of this process. It leases blocks of units from the database and charges them in memory. Blocks
 * shrink near the limit, and a process that finds no units left asks the other processes for their uncharged ones, so
 * that all processes together allow exactly the quota. A block of a dead process is returned, see `reclaimLeases`.
 */
export function createCallMeter(deps: {
  readonly db: Database
  readonly notifications: Notifications
  readonly limits: Limits
  readonly now?: () => Date
}): CallMeter {
  return new LeasingMeter(deps.db, deps.notifications, deps.limits, deps.now ?? (() => new Date()))
}

class LeasingMeter implements CallMeter {
  readonly #db: Database
  readonly #limits: Limits
  readonly #now: () => Date
  readonly #accounts = new Map<string, Account>()
  readonly #timer: NodeJS.Timeout
  readonly #stopHearing: () => void
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(db: Database, notifications: Notifications, limits: Limits, now: () => Date) {
    this.#db = db
    this.#limits = limits
    this.#now = now
    this.#stopHearing = notifications.on('svc_quota', (payload) => this.#giveBack(payload))
    this.#timer = setInterval(() => this.#later(this.flush()), FLUSH_MS)
    this.#timer.unref()
  }

  async take(payer: Payer, units: number): Promise<Charge> {
    const lease = await this.#leaseFor(payer, units)
    return { refund: () => this.#refund(lease, units) }
  }

  /** The lease that the units were taken from. */
  async #leaseFor(payer: Payer, units: number): Promise<Lease> {
    const account = this.#accountOf(payer.tenantId)
    if (account.waiting.length === 0 && this.#spend(account, units)) return account.lease
    const { exhausted } = account
    if (exhausted !== null && units >= exhausted.units && performance.now() < exhausted.untilMs) throw exhausted.error
    return await new Promise<Lease>((resolve, reject) => {
      account.waiting.push({ units, terms: payer, resolve, reject })
      if (!account.isGranting) this.#later(this.#grant(account))
    })
  }

  /** A lease that has ended meanwhile returned its uncharged units then: these units are returned separately. */
  #refund(lease: Lease, units: number): void {
    if (this.#accounts.get(lease.tenantId)?.lease === lease) lease.spent -= units
    else this.#later(tenantOf(this.#db, lease.tenantId).write(async (tx) => await returnUnits(tx, lease, units)))
  }

  async flush(): Promise<void> {
    const nowMs = performance.now()
    const due: Lease[] = []
    for (const [tenantId, account] of this.#accounts) {
      const { lease } = account
      if (account.isGranting) continue
      if (lease.period !== periodOf(this.#now()) || nowMs - lease.usedAtMs > IDLE_MS) {
        this.#accounts.delete(tenantId)
        if (lease.granted > 0) this.#later(endLease(this.#db, lease))
      } else if (lease.granted > 0 && (lease.spent !== lease.flushed || nowMs - lease.touchedAtMs > TOUCH_MS)) {
        due.push(lease)
      }
    }
    if (due.length === 0) return
    const spentThen = new Map(due.map((lease) => [lease.id, lease.spent]))
    const alive = await flushLeases(this.#db, due)
    for (const lease of due) {
      if (alive.has(lease.id)) {
        lease.flushed = spentThen.get(lease.id) ?? lease.flushed
        lease.touchedAtMs = nowMs
      } else this.#drop(this.#accounts.get(lease.tenantId), lease)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopHearing()
    const accounts = [...this.#accounts.values()]
    this.#accounts.clear()
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    // Read only now: work under way may have dropped a lease, and a lease ends once.
    const leases = accounts.map((account) => account.lease).filter((lease) => lease.granted > 0)
    await Promise.all(leases.map(async (lease) => await endLease(this.#db, lease)))
  }

  #accountOf(tenantId: string): Account {
    const period = periodOf(this.#now())
    const known = this.#accounts.get(tenantId)
    if (known !== undefined && (known.lease.period === period || known.isGranting)) return known
    if (known !== undefined && known.lease.granted > 0) this.#later(endLease(this.#db, known.lease))
    const account: Account = {
      lease: newLease({ tenantId, period }, performance.now()),
      waiting: [],
      isGranting: false,
      exhausted: null,
    }
    this.#accounts.set(tenantId, account)
    return account
  }

  #spend(account: Account, units: number): boolean {
    const { lease } = account
    const nowMs = performance.now()
    if (lease.granted - lease.spent < units || nowMs - lease.touchedAtMs > STALE_MS) return false
    lease.spent += units
    lease.usedAtMs = nowMs
    return true
  }

  /** Serves the waiting calls in order, one grant at a time. */
  async #grant(account: Account): Promise<void> {
    account.isGranting = true
    try {
      for (let first = account.waiting[0]; first !== undefined; first = account.waiting[0]) {
        if (!this.#spend(account, first.units)) {
          try {
            await this.#grow(account, first)
            continue
          } catch (error) {
            this.#refuse(account, first, error)
            continue
          }
        }
        account.waiting.shift()
        first.resolve(account.lease)
      }
    } finally {
      account.isGranting = false
    }
  }

  /** Refuses the first waiting call, and with it all that need at least as many units. */
  #refuse(account: Account, first: Waiter, error: unknown): void {
    if (BILLING_ERRORS.quota_exhausted.matches(error)) {
      account.exhausted = { error, units: first.units, untilMs: performance.now() + EXHAUSTED_MS }
    }
    const refused = account.waiting.filter((waiter) => waiter.units >= first.units)
    account.waiting = account.waiting.filter((waiter) => waiter.units < first.units)
    for (const waiter of refused) waiter.reject(error)
  }

  async #grow(account: Account, first: Waiter): Promise<void> {
    const { lease } = account
    const quota = quotaOf(first.terms, this.#limits)
    if (lease.granted > 0 && performance.now() - lease.touchedAtMs > STALE_MS) {
      const alive = await flushLeases(this.#db, [lease])
      if (!alive.has(lease.id)) return this.#drop(account, lease)
      lease.flushed = lease.spent
      lease.touchedAtMs = performance.now()
      if (lease.granted - lease.spent >= first.units) return
    }
    const missing = first.units - (lease.granted - lease.spent)
    const wanted = Math.max(
      account.waiting.reduce((sum, waiter) => sum + waiter.units, 0) - (lease.granted - lease.spent),
      missing,
    )
    await takeWithRecall(this.#db, { ...lease, ownLeaseId: lease.id }, async () => {
      const granted = await growLease(this.#db, lease, wanted, quota)
      lease.granted += granted
      if (granted > 0) lease.touchedAtMs = performance.now()
      if (lease.granted - lease.spent < first.units) {
        // The error's figures are read from the database.
        if (lease.spent !== lease.flushed) await this.#tell(lease)
        throw await quotaExhausted(
          tenantOf(this.#db, lease.tenantId),
          lease.tenantId,
          { what: 'a call', units: first.units, quota },
          this.#now(),
        )
      }
    })
  }

  /** Another process finds no units left: units that no call here waits for are returned. */
  #giveBack(payload: string): void {
    const [tenantId = ''] = payload.split(' ')
    const account = this.#accounts.get(tenantId)
    if (account === undefined || recallPayload(account.lease) !== payload) return
    const { lease } = account
    if (account.isGranting || lease.granted === lease.spent) {
      // The asking process must see that there are no units to wait for here.
      if (lease.granted > 0) this.#later(this.#tell(lease))
      return
    }
    this.#accounts.delete(tenantId)
    this.#later(endLease(this.#db, lease))
  }

  async #tell(lease: Lease): Promise<void> {
    const { spent } = lease
    const alive = await flushLeases(this.#db, [lease])
    if (alive.has(lease.id)) lease.flushed = Math.max(lease.flushed, spent)
  }

  /**
   * Handles a lease that was reclaimed because this process seemed dead: charges later use, and drops the rest. One
   * that no longer belongs to the account has ended in another way, which charged its use.
   */
  #drop(account: Account | undefined, lease: Lease): void {
    if (account?.lease !== lease) return
    account.lease = newLease(lease, performance.now())
    this.#later(endLease(this.#db, lease))
  }

  /** Runs work without a waiting caller; a failure leaves the lease to `reclaimLeases`. */
  #later(work: Promise<unknown>): void {
    const settled: Promise<unknown> = work
      .catch((error: unknown) => {
        // Other parts report that the database is away.
        if (!(error instanceof DomainError)) this.#db.warn(`quota: ${String(error)}`)
      })
      .finally(() => this.#underWay.delete(settled))
    this.#underWay.add(settled)
  }
}

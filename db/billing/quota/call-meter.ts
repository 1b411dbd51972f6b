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
  /** Takes units. Throws `quota_exhausted` `{used, quota, resets_at}` when the month holds no more. */
  take(payer: Payer, units: number): Promise<Charge>
  /** Writes down what was spent. */
  flush(): Promise<void>
  /** Ends all leases; what is unspent goes back. */
  close(): Promise<void>
}

/** Units that were taken for one call. */
export interface Charge {
  /** Gives them back to the month that they were taken from, once, when the call then was not made. */
  refund(): void
}

/** Whose quota is charged, and what it follows from. */
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
  /** That so many units were not left, and until when that is taken for granted. */
  exhausted: { readonly error: DomainError; readonly units: number; readonly untilMs: number } | null
}

const FLUSH_MS = 1000
/** How long a tenant that has nothing left is refused without asking the database again. */
const EXHAUSTED_MS = 250
/** A lease that nobody uses goes back after this. */
const IDLE_MS = 30_000
/** An unchanged lease is touched this often, so that nobody takes its process for dead. */
const TOUCH_MS = 15_000
/** A lease that could not be touched for so long may be reclaimed soon: it is not spent any more. */
const STALE_MS = LEASE_DEAD_AFTER_MS / 2

/**
 * Opens the meter of this process. It leases blocks of units from the database and spends them in memory; blocks
 * shrink near the limit, and whoever finds nothing left asks the other processes for what they hold unspent, so that
 * all processes together let exactly the quota pass. A block of a process that dies is given back, see `reclaimLeases`.
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

  /** A lease that has ended meanwhile gave back what was unspent then: these units are returned beside it. */
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
    // Read only now: what was under way may have dropped a lease, and a lease ends once.
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

  /** Serves those who wait, in order, one grant at a time. */
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

  /** Refuses the first that waits, and with it all that want no less. */
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
        // What the error says is read from the database.
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

  /** Another process finds nothing left: what nobody here waits for goes back. */
  #giveBack(payload: string): void {
    const [tenantId = ''] = payload.split(' ')
    const account = this.#accounts.get(tenantId)
    if (account === undefined || recallPayload(account.lease) !== payload) return
    const { lease } = account
    if (account.isGranting || lease.granted === lease.spent) {
      // Whoever asks must see that there is nothing to wait for here.
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
   * A lease that was reclaimed because this process seemed dead: what was spent since is charged, the rest is gone. One
   * that is not the account's any more has ended in another way, which charged what was spent.
   */
  #drop(account: Account | undefined, lease: Lease): void {
    if (account?.lease !== lease) return
    account.lease = newLease(lease, performance.now())
    this.#later(endLease(this.#db, lease))
  }

  /** Work that nobody waits for; a failure leaves the lease to `reclaimLeases`. */
  #later(work: Promise<unknown>): void {
    const settled: Promise<unknown> = work
      .catch((error: unknown) => {
        // That the database is away is told by others.
        if (!(error instanceof DomainError)) this.#db.warn(`quota: ${String(error)}`)
      })
      .finally(() => this.#underWay.delete(settled))
    this.#underWay.add(settled)
  }
}

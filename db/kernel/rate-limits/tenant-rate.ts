import { within, type Database } from '../database.ts'
import { takeBlocks, type BlockRequest } from './rate-blocks.ts'

/** A tenant's state in the running window. */
export interface RateStanding {
  readonly isAllowed: boolean
  /** Calls per window; 0 without a limit. */
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the next window. */
  readonly resetS: number
  readonly windowS: number
}

/** Limits the calls of each tenant, over all processes together. */
export interface TenantRate {
  /** Counts a call of the tenant: usually at once, after one query when this process holds no calls. */
  take(tenantId: string): RateStanding | Promise<RateStanding>
  close(): Promise<void> | void
}

const WINDOW_MS = 10_000
const WINDOWS_PER_MINUTE = 60_000 / WINDOW_MS
/** Blocks for the next window are fetched when the running one has only this much time left. */
const LEAD_MS = 1500
const TICK_MS = 500
/** A block holds at most this share of the remainder, so that blocks shrink to one call near the limit. */
const SHARE = 20
/** The largest block of a process that has not seen more calls of the tenant yet. */
const FIRST_BLOCK = 16
/** Time that a call waits for the database before this process counts alone. */
const PATIENCE_MS = 5000
/** Pause after the database did not answer. */
const AWAY_MS = 5000

/** The calls of one tenant in one window, as this process knows them. */
interface Account {
  readonly tenantId: string
  readonly window: number
  /** Calls reserved from the shared count and not made yet. */
  held: number
  /** Calls still available when the shared count was last read. */
  left: number
  /** Calls that this process allowed. */
  spent: number
  /** Calls of the previous window: the expected number in this one. */
  readonly before: number
  fetching: Promise<void> | undefined
  waiting: number
}

/**
 * Opens the count of this process: `perMinute` calls of each tenant, in windows of ten seconds that begin with the
 * clock's, 0 for no limit. A process takes blocks out of the shared count and uses them in memory; blocks shrink near
 * the limit, and the first ones of a window are fetched for all busy tenants at once before it begins. So at most the
 * limit passes over all processes: the block of a process that dies or falls idle is lost until the window ends, never
 * passed twice. While the database is away each process counts alone and refuses no call for that.
 */
export function createTenantRate(deps: {
  readonly db: Database
  readonly perMinute: number
  readonly now?: () => Date
  readonly log?: (line: string) => void
}): TenantRate {
  if (deps.perMinute === 0) return UNLIMITED
  return new LeasedRate(deps.db, Math.max(1, Math.floor(deps.perMinute / WINDOWS_PER_MINUTE)), deps)
}

const UNLIMITED: TenantRate = {
  take: () => ({ isAllowed: true, limit: 0, remaining: 0, resetS: 0, windowS: WINDOW_MS / 1000 }),
  close: () => {},
}

class LeasedRate implements TenantRate {
  readonly #db: Database
  readonly #limit: number
  readonly #now: () => Date
  readonly #log: (line: string) => void
  readonly #timer: NodeJS.Timeout
  /** Accounts of the running window, and those prefilled for the next. */
  #current = new Map<string, Account>()
  #next = new Map<string, Account>()
  #window: number
  #preparing: Promise<void> | undefined
  #prepared = 0
  #awayUntilMs = 0

  constructor(
    db: Database,
    limit: number,
    options: { readonly now?: () => Date; readonly log?: (line: string) => void },
  ) {
    this.#db = db
    this.#limit = limit
    this.#now = options.now ?? (() => new Date())
    this.#log = options.log ?? (() => {})
    this.#window = windowOf(this.#now())
    this.#timer = setInterval(() => this.#prepareNext(), TICK_MS)
    this.#timer.unref()
  }

  take(tenantId: string): RateStanding | Promise<RateStanding> {
    const now = this.#now()
    const account = this.#accountOf(tenantId, windowOf(now))
    if (account.held > 0) {
      this.#spend(account)
      const block = blockOf(account)
      if (block > 1 && account.held < block / 2) void this.#refill(account)
      return this.#standing(account, true, now)
    }
    if (account.left === 0) return this.#standing(account, false, now)
    return this.#takeAfterRefill(account)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const accounts = [...this.#current.values(), ...this.#next.values()]
    await Promise.all([this.#preparing, ...accounts.map((account) => account.fetching)])
  }

  async #takeAfterRefill(account: Account): Promise<RateStanding> {
    account.waiting++
    try {
      while (account.held === 0 && account.left > 0) await this.#refill(account)
    } finally {
      account.waiting--
    }
    const now = this.#now()
    if (account.held === 0) return this.#standing(account, false, now)
    this.#spend(account)
    return this.#standing(account, true, now)
  }

  #spend(account: Account): void {
    account.held--
    account.spent++
  }

  #standing(account: Account, isAllowed: boolean, now: Date): RateStanding {
    const untilMs = (account.window + 1) * WINDOW_MS - now.getTime()
    return {
      isAllowed,
      limit: this.#limit,
      remaining: isAllowed ? account.held + account.left : 0,
      resetS: Math.max(1, Math.ceil(untilMs / 1000)),
      windowS: WINDOW_MS / 1000,
    }
  }

  #accountOf(tenantId: string, window: number): Account {
    if (window !== this.#window) this.#turnTo(window)
    const known = this.#current.get(tenantId)
    if (known !== undefined) return known
    const account = this.#newAccount(tenantId, window, 0)
    this.#current.set(tenantId, account)
    return account
  }

  #newAccount(tenantId: string, window: number, before: number): Account {
    return { tenantId, window, held: 0, left: this.#limit, spent: 0, before, fetching: undefined, waiting: 0 }
  }

  /** A clock that was set back only starts over: taken calls stay taken in the shared count. */
  #turnTo(window: number): void {
    const filled = window === this.#window + 1 ? this.#next : new Map<string, Account>()
    this.#current = filled
    this.#next = new Map()
    this.#window = window
  }

  /** Takes one more block; concurrent calls wait for the same one. */
  #refill(account: Account): Promise<void> {
    account.fetching ??= this.#fetch([account]).finally(() => {
      account.fetching = undefined
    })
    return account.fetching
  }

  /** Takes, shortly before a window ends, first blocks of the next one for every tenant that called in this one. */
  #prepareNext(): void {
    const nowMs = this.#now().getTime()
    const next = windowOf(new Date(nowMs)) + 1
    const isNear = next * WINDOW_MS - nowMs <= LEAD_MS
    if (!isNear || this.#prepared === next || this.#window !== next - 1 || nowMs < 0) return
    this.#prepared = next
    const busy = [...this.#current.values()].filter(({ spent }) => spent > 0)
    const accounts = busy.map((account) => this.#newAccount(account.tenantId, next, account.spent))
    // When the limit is so small that one call is a large share of it, no calls are reserved in advance.
    const ahead = accounts.filter((account) => account.left >= SHARE)
    if (ahead.length === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const account of ahead) {
      account.fetching = promise
      this.#next.set(account.tenantId, account)
    }
    this.#preparing = this.#fetch(ahead).finally(() => {
      for (const account of ahead) account.fetching = undefined
      resolve()
    })
  }

  /** Takes a block for each account; without the database, from this process's own share, which is the whole limit. */
  async #fetch(accounts: readonly Account[]): Promise<void> {
    const wanted = accounts.map((account): BlockRequest & { readonly account: Account } => ({
      account,
      tenantId: account.tenantId,
      window: account.window,
      block: Math.min(Math.max(blockOf(account), account.waiting), account.left),
    }))
    if (performance.now() >= this.#awayUntilMs) {
      try {
        const options = { limit: this.#limit, windowMs: WINDOW_MS }
        const counts = await within(PATIENCE_MS, takeBlocks(this.#db, wanted, options))
        for (const { account, block } of wanted) {
          const count = counts.get(account.tenantId)
          // No count: the window had been used up before. Beyond the limit: only the part below it was granted.
          const granted = count === undefined ? 0 : block - Math.max(0, count - this.#limit)
          account.held += Math.max(granted, 0)
          account.left = count === undefined ? 0 : Math.max(0, this.#limit - count)
        }
        return
      } catch (error) {
        this.#awayUntilMs = performance.now() + AWAY_MS
        this.#log(`calls per tenant are counted by this process alone: ${String(error)}`)
      }
    }
    for (const { account, block } of wanted) {
      account.held += block
      account.left -= block
    }
  }
}

function windowOf(now: Date): number {
  return Math.floor(now.getTime() / WINDOW_MS)
}

/**
 * Returns how many calls to take at once: the expected need of this process, a small share of the remainder, at least
 * one.
 */
function blockOf(account: Account): number {
  const expected = Math.max(FIRST_BLOCK, account.before, account.spent)
  return Math.max(1, Math.min(Math.floor(account.left / SHARE), expected))
}

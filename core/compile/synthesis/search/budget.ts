/** Thrown inside the search when an allotment is used up; the enclosing search continues with its results so far. */
export class SearchEnded extends Error {
  override readonly name = 'SearchEnded'
  readonly budget: Budget

  constructor(budget: Budget) {
    super('search ended')
    this.budget = budget
  }
}

/** Checks, made now and then, whether the search has to end before its budget. */
export interface EndSignals {
  readonly deadlineAt?: number
  readonly isCancelled?: () => boolean
}

/** Steps between two looks at the clock and at the cancel flag. */
const STEPS_PER_LOOK = 20_000

/**
 * Counts search steps. An allotment is a budget inside another one: its steps count in both.
 * Everything the search decides depends on counted steps only, so a result does not depend on the machine's speed
 * unless the deadline strikes.
 */
export class Budget {
  readonly #limit: number
  readonly #parent: Budget | undefined
  readonly #signals: EndSignals
  #used = 0
  #nextLook = STEPS_PER_LOOK
  #stopped = false

  constructor(limit: number, signals: EndSignals = {}, parent?: Budget) {
    this.#limit = limit
    this.#signals = signals
    this.#parent = parent
  }

  /** Steps counted so far. */
  get used(): number {
    return this.#used
  }

  /** Steps that are left here and in every budget around this one. */
  get remaining(): number {
    const own = this.#stopped ? 0 : Math.max(0, this.#limit - this.#used)
    return this.#parent === undefined ? own : Math.min(own, this.#parent.remaining)
  }

  /** Counts steps. Throws `SearchEnded` when they are used up, or after the deadline or a cancellation. */
  spend(steps: number): void {
    this.#used += steps
    if (this.#parent !== undefined) this.#parent.spend(steps)
    else if (this.#used >= this.#nextLook) this.#look()
    if (this.#used > this.#limit || this.#stopped) throw new SearchEnded(this)
  }

  /** A budget of at most `limit` steps inside this one. */
  allot(limit: number): Budget {
    return new Budget(Math.min(limit, this.remaining), this.#signals, this)
  }

  /**
   * Runs a search in an allotment and gives `fallback` when the allotment ended it. Where this budget has no steps left either,
   * it ends the search around it, up to the budget that has some.
   */
  within<T>(limit: number, search: (budget: Budget) => T, fallback: T): T {
    const part = this.allot(limit)
    try {
      return search(part)
    } catch (error) {
      if (!(error instanceof SearchEnded) || error.budget !== part) throw error
      if (this.remaining > 0) return fallback
      throw new SearchEnded(this)
    }
  }

  #look(): void {
    this.#nextLook = this.#used + STEPS_PER_LOOK
    const { deadlineAt, isCancelled } = this.#signals
    if (isCancelled?.() === true || (deadlineAt !== undefined && Date.now() >= deadlineAt)) this.#stopped = true
  }
}

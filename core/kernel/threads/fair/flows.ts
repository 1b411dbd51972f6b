/** A user of a lane: callers of one flow share its weight, and members within it have equal parts. */
export interface Share {
  readonly flow: string
  readonly member: string
  /** The flow's share of the lane when all flows are busy, above 0. */
  readonly weight: number
}

/** Past and current use of a flow or a member. */
export interface Flow {
  weight: number
  /** Place-milliseconds that ended, divided by the weight. */
  used: number
  /** Places held now, and the sum of the times when they were taken. */
  held: number
  heldSince: number
  readonly members: Map<string, Flow>
}

/** The accounts of all flows of a lane: virtual times, which grow by the time of each place over the flow's weight. */
export class FlowTable {
  readonly #now: () => number
  readonly #flows = new Map<string, Flow>()

  constructor(now: () => number) {
    this.#now = now
  }

  of({ flow, weight }: Share): Flow {
    return entryOf(this.#flows, flow, weight)
  }

  /** Adds a caller to the queue: an idle flow or member starts level with the one that is furthest behind. */
  enter(share: Share, waiters: Iterable<{ readonly share: Share }>): void {
    const waiting = [...waiters]
    const flow = this.of(share)
    flow.weight = share.weight
    raise(flow, this.#flows, new Set(waiting.map((waiter) => waiter.share.flow)), share.flow, this.#now())
    const members = waiting.filter((waiter) => waiter.share.flow === share.flow).map((waiter) => waiter.share.member)
    const member = entryOf(flow.members, share.member, 1)
    raise(member, flow.members, new Set(members), share.member, this.#now())
  }

  begin(share: Share): void {
    for (const account of this.#accounts(share)) {
      account.held++
      account.heldSince += this.#now()
    }
  }

  end(share: Share, since: number): void {
    for (const account of this.#accounts(share)) {
      account.held--
      account.heldSince -= since
      account.used += (this.#now() - since) / account.weight
    }
  }

  /** Below 0 when the first is to be served before the second; 0 for callers of one member. */
  compare(a: Share, b: Share): number {
    if (a.flow !== b.flow) return this.compareFlows(a, b)
    if (a.member === b.member) return 0
    const { members } = this.of(a)
    return (
      virtualTime(entryOf(members, a.member, 1), this.#now()) - virtualTime(entryOf(members, b.member, 1), this.#now())
    )
  }

  compareFlows(a: Share, b: Share): number {
    return virtualTime(this.of(a), this.#now()) - virtualTime(this.of(b), this.#now())
  }

  /** Drops the accounts of idle users who would start level with the others again. */
  forget(waiters: Iterable<{ readonly share: Share }>): void {
    const waiting = [...waiters].map(({ share }) => share)
    prune(this.#flows, new Set(waiting.map(({ flow }) => flow)), this.#now())
    for (const [name, { members }] of this.#flows) {
      prune(members, new Set(waiting.flatMap(({ flow, member }) => (flow === name ? [member] : []))), this.#now())
    }
  }

  #accounts(share: Share): readonly [Flow, Flow] {
    const flow = this.of(share)
    return [flow, entryOf(flow.members, share.member, 1)]
  }
}

function entryOf(accounts: Map<string, Flow>, name: string, weight: number): Flow {
  const known = accounts.get(name)
  if (known !== undefined) return known
  const made: Flow = { weight, used: 0, held: 0, heldSince: 0, members: new Map() }
  accounts.set(name, made)
  return made
}

function virtualTime({ used, held, heldSince, weight }: Flow, now: number): number {
  return used + (held * now - heldSince) / weight
}

/** Returns the least virtual time of the users who hold or await a place. */
function levelOf(accounts: Map<string, Flow>, waiting: ReadonlySet<string>, now: number, except?: string): number {
  let level = Infinity
  for (const [name, account] of accounts) {
    if (name === except || (account.held === 0 && !waiting.has(name))) continue
    level = Math.min(level, virtualTime(account, now))
  }
  return level
}

function raise(
  account: Flow,
  accounts: Map<string, Flow>,
  waiting: ReadonlySet<string>,
  name: string,
  now: number,
): void {
  if (account.held > 0 || waiting.has(name)) return
  const level = levelOf(accounts, waiting, now, name)
  if (Number.isFinite(level)) account.used = Math.max(account.used, level)
}

function prune(accounts: Map<string, Flow>, waiting: ReadonlySet<string>, now: number): void {
  const level = levelOf(accounts, waiting, now)
  for (const [name, account] of accounts) {
    if (account.held === 0 && !waiting.has(name) && account.used <= level) accounts.delete(name)
  }
}

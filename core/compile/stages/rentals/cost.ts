/** The part of a lease that its cost follows from. */
export interface ChargedTime {
  readonly orderedAt: Date
  /** Null while the machine may run. */
  readonly endedAt: Date | null
  /** Millionths of a US dollar an hour. */
  readonly rateUsdMicros: number
}

/**
 * Returns the cost of a machine in millionths of a US dollar, from its order to its confirmed end by the clock of the
 * service, rounded up: a provider charges no longer than that.
 */
export function costOf({ orderedAt, endedAt, rateUsdMicros }: ChargedTime, now: Date): number {
  return costOfMs(Math.max(0, (endedAt ?? now).getTime() - orderedAt.getTime()), rateUsdMicros)
}

/** Returns the cost of so many milliseconds at a rate an hour, in millionths of a US dollar, rounded up. */
export function costOfMs(ms: number, rateUsdMicros: number): number {
  return Math.ceil((ms * rateUsdMicros) / 3_600_000)
}

/** Time that is kept for a last checkpoint and for ending the machine before its budget is used up, milliseconds. */
const RESERVED_MS = 40_000

/**
 * Returns the time at which a machine has to stop so that it is gone before the budget is used up, given what the rental
 * has cost without it, in millionths of a US dollar.
 */
export function deadlineOf(
  lease: Pick<ChargedTime, 'orderedAt' | 'rateUsdMicros'>,
  budget: { readonly budgetUsdMicros: number; readonly spentUsdMicros: number },
): Date {
  const left = Math.max(0, budget.budgetUsdMicros - budget.spentUsdMicros)
  const ms = lease.rateUsdMicros === 0 ? Number.MAX_SAFE_INTEGER / 2 : (left * 3_600_000) / lease.rateUsdMicros
  const latest = 8_640_000_000_000_000
  return new Date(Math.min(latest, lease.orderedAt.getTime() + Math.max(0, ms - RESERVED_MS)))
}

/**
 * Events arrive in any order, twice, and two at a time. Their effect does not depend on it, because every row is the
 * greatest snapshot of its object in an order that the snapshots themselves carry: final states come after all others,
 * then the version of the event decides, then its id.
 */
export interface Version {
  /** `versionOf` the event. */
  readonly created: number
  readonly eventId: string
}

/** True when a snapshot is greater than the one that a row holds. */
export function supersedes(
  given: { readonly rank: number; readonly version: Version },
  held: { readonly rank: number; readonly version: Version },
): boolean {
  if (given.rank !== held.rank) return given.rank > held.rank
  if (given.version.created !== held.version.created) return given.version.created > held.version.created
  return given.version.eventId > held.version.eventId
}

/** Statuses of subscriptions that have ended for good at the processor. */
export const OVER: readonly string[] = ['canceled', 'incomplete_expired']

/** True for a subscription that has ended for good at the processor. */
export function isOver(status: string): boolean {
  return OVER.includes(status)
}

/** Subscriptions begin `incomplete`, when they do, and are never that again; nor do they come back from their end. */
export function subscriptionRank(status: string): number {
  if (isOver(status)) return 2
  return status === 'incomplete' ? 0 : 1
}

/** Returns true for a checkout that was paid or needed no payment. */
export function isPaid(paymentStatus: string | null): boolean {
  return paymentStatus === 'paid' || paymentStatus === 'no_payment_required'
}

/** A paid checkout stays paid. */
export function checkoutRank(paymentStatus: string | null): number {
  return isPaid(paymentStatus) ? 1 : 0
}

const INVOICE_RANKS: Readonly<Record<string, number>> = { uncollectible: 1, void: 2, paid: 3 }

/** A draft becomes open; an open invoice may become uncollectible, void or paid. */
export function invoiceRank(status: string): number {
  return INVOICE_RANKS[status] ?? 0
}

/** The time of an event, from its version. */
export function timeOfVersion(created: number): Date {
  return new Date(Math.floor(created / 10) * 1000)
}

/** The earlier of two times, of which either may be absent. */
export function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one <= other ? one : other
}

/** The later of two times, of which either may be absent. */
export function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one >= other ? one : other
}

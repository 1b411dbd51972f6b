/** Outcome of a payment processor's event. `parked`: it waits until its customer is known. */
export type EventOutcome = 'applied' | 'parked' | 'ignored' | Refusal

/**
 * Reasons for which an event has no effect, or not its full effect, until an operator resolves them. `unknown_price`:
 * the subscription is recorded, but its price belongs to no plan.
 */
export const REFUSALS = [
  'livemode_mismatch',
  'currency_mismatch',
  'tenant_mismatch',
  'customer_mismatch',
  'unknown_tenant',
  'unknown_price',
] as const
/** One of them. */
export type Refusal = (typeof REFUSALS)[number]

/** Returns true for an event that is kept until its cause is resolved. */
export function isRefused(outcome: EventOutcome): outcome is Refusal {
  return REFUSALS.some((refusal) => refusal === outcome)
}

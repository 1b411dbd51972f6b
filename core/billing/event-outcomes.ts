/** What became of an event of the payment processor. `parked`: it waits until its customer is known. */
export type EventOutcome = 'applied' | 'parked' | 'ignored' | Refusal

/**
 * Why an event has no effect, or not its whole effect, until somebody mends the reason. `unknown_price`: the subscription
 * is recorded, but its price belongs to no plan.
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

/** True for an event that is kept until its reason is mended. */
export function isRefused(outcome: EventOutcome): outcome is Refusal {
  return REFUSALS.some((refusal) => refusal === outcome)
}

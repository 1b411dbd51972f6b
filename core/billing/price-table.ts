import { PLAN_IDS, type PlanId } from '../kernel/tenant/plans.ts'

/** The currency of the price list. */
export const CURRENCY = 'usd'

/** The plans that money buys. */
export const PAID_PLAN_IDS = PLAN_IDS.filter((id) => id !== 'free')

/** Something for each plan that has it: the id of a price, the address of a payment link. */
export type PerPlan = Readonly<Partial<Record<PlanId, string>>>

/** Returns the plan of a processor's price; null for an unknown price. */
export function planOfPrice(prices: PerPlan, priceId: string | null): PlanId | null {
  if (priceId === null) return null
  return PAID_PLAN_IDS.find((plan) => prices[plan] === priceId) ?? null
}

/** A plan by its name; null for a text that names no plan that is paid for. */
export function paidPlan(text: string | null | undefined): PlanId | null {
  return PAID_PLAN_IDS.find((plan) => plan === text) ?? null
}

/** The address that a tenant follows to buy a plan by a payment link; null when the operator has set none up. */
export function paymentLink(
  links: PerPlan,
  plan: PlanId,
  buyer: { readonly tenantId: string; readonly email: string | null },
): string | null {
  const link = links[plan]
  if (link === undefined || !URL.canParse(link)) return null
  const url = new URL(link)
  url.searchParams.set('client_reference_id', buyer.tenantId)
  if (buyer.email !== null) url.searchParams.set('prefilled_email', buyer.email)
  return url.href
}

/** The six published plans: label, list price in US dollars per month, monthly call quota, seats. */
export const PLANS = {
  free: { label: 'Developer', priceUsdMonth: 0, quota: 10_000, seats: 1 },
  starter: { label: 'Starter', priceUsdMonth: 9, quota: 50_000, seats: 1 },
  pro: { label: 'Pro', priceUsdMonth: 49, quota: 200_000, seats: 1 },
  teams: { label: 'Teams', priceUsdMonth: 149, quota: 1_000_000, seats: 5 },
  business: { label: 'Business', priceUsdMonth: 1499, quota: 5_000_000, seats: 15 },
  enterprise: { label: 'Enterprise', priceUsdMonth: 2999, quota: 10_000_000, seats: 25 },
} as const

/** The id of a plan. */
export type PlanId = keyof typeof PLANS

/** All plan ids, cheapest first. */
export const PLAN_IDS = [
  'free',
  'starter',
  'pro',
  'teams',
  'business',
  'enterprise',
] as const satisfies readonly PlanId[]

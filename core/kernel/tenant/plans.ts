/** Facts of a plan. Six of them are defaults of limits that an operator may change (`perPlan`). */
export interface Plan {
  readonly label: string
  /** List price, US dollars per month. */
  readonly priceUsdMonth: number
  /** Units per calendar month. */
  readonly quota: number
  /** Members of the organisation at most, invitations included. */
  readonly seats: number
  /** Retention of the audit ledger's lines, days. */
  readonly auditDays: number
  /** Jobs that run at one time. */
  readonly runningJobs: number
  /** Bytes of the tenant's rows in the blob store. */
  readonly storedBytes: number
  /** Share of the compute slots when tenants compete for them. */
  readonly computeWeight: number
  /** Seconds of compute per day for work that is not charged, such as failed compiles. */
  readonly unpaidComputeSPerDay: number
  /** False: sold by an agreement, not by sign-up. */
  readonly isSelfServe: boolean
  readonly hasTeams: boolean
  /** Single sign-on through the customer's identity provider, and SCIM. */
  readonly hasSso: boolean
}

const GIB = 1024 ** 3
const HOUR_S = 3600

/** The published plans, cheapest first. The CHECK constraints of the database name the same ids. */
export const PLANS = {
  free: {
    label: 'Developer',
    priceUsdMonth: 0,
    quota: 10_000,
    seats: 1,
    auditDays: 30,
    runningJobs: 2,
    storedBytes: 2 * GIB,
    computeWeight: 1,
    unpaidComputeSPerDay: HOUR_S,
    isSelfServe: true,
    hasTeams: false,
    hasSso: false,
  },
  starter: {
    label: 'Starter',
    priceUsdMonth: 9,
    quota: 50_000,
    seats: 1,
    auditDays: 90,
    runningJobs: 2,
    storedBytes: 10 * GIB,
    computeWeight: 2,
    unpaidComputeSPerDay: 2 * HOUR_S,
    isSelfServe: true,
    hasTeams: false,
    hasSso: false,
  },
  pro: {
    label: 'Pro',
    priceUsdMonth: 49,
    quota: 200_000,
    seats: 1,
    auditDays: 90,
    runningJobs: 4,
    storedBytes: 50 * GIB,
    computeWeight: 4,
    unpaidComputeSPerDay: 6 * HOUR_S,
    isSelfServe: true,
    hasTeams: false,
    hasSso: false,
  },
  teams: {
    label: 'Teams',
    priceUsdMonth: 149,
    quota: 1_000_000,
    seats: 5,
    auditDays: 365,
    runningJobs: 8,
    storedBytes: 200 * GIB,
    computeWeight: 8,
    unpaidComputeSPerDay: 24 * HOUR_S,
    isSelfServe: true,
    hasTeams: true,
    hasSso: false,
  },
  business: {
    label: 'Business',
    priceUsdMonth: 1499,
    quota: 5_000_000,
    seats: 15,
    auditDays: 365,
    runningJobs: 8,
    storedBytes: 1024 * GIB,
    computeWeight: 8,
    unpaidComputeSPerDay: 48 * HOUR_S,
    isSelfServe: false,
    hasTeams: true,
    hasSso: true,
  },
  enterprise: {
    label: 'Enterprise',
    priceUsdMonth: 2999,
    quota: 10_000_000,
    seats: 25,
    auditDays: 2555,
    runningJobs: 16,
    storedBytes: 4 * 1024 * GIB,
    computeWeight: 16,
    unpaidComputeSPerDay: 96 * HOUR_S,
    isSelfServe: true,
    hasTeams: true,
    hasSso: true,
  },
} as const satisfies Readonly<Record<string, Plan>>

/** The id of a plan. */
export type PlanId = keyof typeof PLANS

/** All plan ids, cheapest first. */
export const PLAN_IDS = Object.keys(PLANS) as readonly PlanId[]

/** The plans of which a fact is true, cheapest first. */
export function plansWith(fact: 'isSelfServe' | 'hasTeams' | 'hasSso'): readonly PlanId[] {
  return PLAN_IDS.filter((id) => PLANS[id][fact])
}

/** Returns the defaults of a limit that differs by plan: `quota_free`, `quota_starter` and so on. */
export function perPlan<P extends string>(prefix: P, valueOf: (plan: Plan) => number) {
  const entries = PLAN_IDS.map((id) => [`${prefix}_${id}`, valueOf(PLANS[id])])
  return Object.fromEntries(entries) as Readonly<Record<`${P}_${PlanId}`, number>>
}

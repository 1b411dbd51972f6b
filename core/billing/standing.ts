import { PLAN_IDS, type PlanId } from '../kernel/tenant/plans.ts'
import type { BillingStatus } from '../kernel/tenant/billing-status.ts'
import { isPaid, timeOfVersion } from './events/fold.ts'

/** A subscription, as far as the plan depends on it. */
export interface SubscriptionFacts {
  readonly id: string
  readonly customerId: string
  readonly plan: PlanId | null
  readonly isSoldHere: boolean
  readonly status: string
  readonly startedAt: Date
  readonly currentPeriodEnd: Date | null
  readonly isCancelAtPeriodEnd: boolean
  readonly endsAt: Date | null
  readonly endPushedAt: Date | null
  readonly resumeDueAt: Date | null
  readonly eventCreated: number
}

/** A checkout, as far as the plan depends on it. */
export interface CheckoutFacts {
  readonly id: string
  readonly plan: PlanId | null
  readonly isFromLink: boolean
  readonly paymentStatus: string | null
  readonly customerId: string | null
  readonly subscriptionId: string | null
  readonly completedAt: Date | null
}

/** Everything that a tenant's plan follows from. */
export interface BillingFacts {
  readonly isDeleted: boolean
  readonly pendingPlan: PlanId | null
  /** Plan that an administrator granted, regardless of payments. */
  readonly grantedPlan: PlanId | null
  readonly subscriptions: readonly SubscriptionFacts[]
  readonly checkouts: readonly CheckoutFacts[]
  /** Subscriptions with an invoice that was paid. */
  readonly paidFor: ReadonlySet<string>
  /** Subscriptions with an invoice whose payment failed and was not made since. */
  readonly failing: ReadonlySet<string>
  /** Subscriptions that are suspended until that payment is made. */
  readonly suspended: ReadonlySet<string>
}

/** A tenant's plan and payment state. */
export interface Standing {
  readonly plan: PlanId
  readonly billingStatus: BillingStatus
  readonly customerId: string | null
  /** The subscription that gives the plan, also while it is suspended. */
  readonly subscriptionId: string | null
  readonly currentPeriodEnd: Date | null
  /** End of the plan, as far as it is known. */
  readonly endsAt: Date | null
}

/** A subscription that the tenant has bought another one in place of, and when it did. */
export interface Superseded {
  readonly subscriptionId: string
  readonly at: Date
}

/**
 * Returns the subscriptions that end because the tenant has since bought another plan here. Only a checkout started
 * here ends others: a payment link can be followed in another tenant's name.
 */
export function supersededBy({ subscriptions, checkouts }: BillingFacts): readonly Superseded[] {
  const [newest] = checkouts
    .filter(({ isFromLink, paymentStatus }) => !isFromLink && isPaid(paymentStatus))
    .flatMap(({ id, subscriptionId, completedAt }) =>
      subscriptionId === null || completedAt === null ? [] : [{ id, subscriptionId, at: completedAt }],
    )
    .toSorted((one, other) => other.at.getTime() - one.at.getTime() || (one.id < other.id ? -1 : 1))
  if (newest === undefined) return []
  return subscriptions
    .filter(({ id, startedAt }) => id !== newest.subscriptionId && startedAt < newest.at)
    .map(({ id }) => ({ subscriptionId: id, at: newest.at }))
}

/**
 * Returns the plan in force and the facts that follow from a tenant's rows. A plan comes from a price of this service
 * or from the metadata of the sale, and counts only once it is paid; never from an amount or from the request alone. Of
 * several subscriptions, the highest plan that is not suspended counts. A plan granted by an administrator is in force
 * unless a higher one was bought.
 */
export function standingOf(facts: BillingFacts, now: Date): Standing {
  const bought = purchasesOf(facts)
  const live = bought.filter(({ endsAt }) => !facts.isDeleted && (endsAt === null || endsAt > now))
  const isSuspended = ({ subscriptionId }: Purchase): boolean => facts.suspended.has(subscriptionId)
  const [best] = live.toSorted(
    (one, other) => Number(isSuspended(one)) - Number(isSuspended(other)) || byValue(one, other),
  )
  const customerId = best?.customerId ?? latestCustomer(facts)
  const granted = facts.isDeleted ? 'free' : (facts.grantedPlan ?? 'free')
  if (best === undefined) {
    return {
      plan: granted,
      billingStatus:
        facts.pendingPlan !== null ? 'pending' : bought.length > 0 || wasPaid(facts) ? 'cancelled' : 'free',
      customerId,
      subscriptionId: null,
      currentPeriodEnd: null,
      endsAt: null,
    }
  }
  return {
    plan: higherPlan(granted, isSuspended(best) ? 'free' : best.plan),
    billingStatus: isSuspended(best) ? 'suspended' : best.isPastDue ? 'past_due' : 'active',
    customerId,
    subscriptionId: best.subscriptionId,
    currentPeriodEnd: best.currentPeriodEnd,
    endsAt: best.endsAt,
  }
}

function higherPlan(one: PlanId, other: PlanId): PlanId {
  return PLAN_IDS.indexOf(one) > PLAN_IDS.indexOf(other) ? one : other
}

/** Returns the end of a subscription, as decided here or by the processor; null when it has none. */
export function endOf(subscription: SubscriptionFacts): Date | null {
  const { endsAt, endPushedAt, resumeDueAt, isCancelAtPeriodEnd, currentPeriodEnd } = subscription
  // Resumed here; the processor has not been notified yet.
  if (resumeDueAt !== null) return null
  const byProcessor = isCancelAtPeriodEnd ? currentPeriodEnd : null
  // The processor was notified of the end and has since reported that the subscription continues: it was resumed there.
  const isTakenBack =
    endPushedAt !== null && !isCancelAtPeriodEnd && timeOfVersion(subscription.eventCreated) > endPushedAt
  return endsAt === null || isTakenBack ? byProcessor : endsAt
}

interface Purchase {
  readonly subscriptionId: string
  readonly customerId: string | null
  readonly plan: PlanId
  readonly isPastDue: boolean
  readonly currentPeriodEnd: Date | null
  readonly endsAt: Date | null
}

const LATE = new Set(['past_due', 'unpaid'])
const GOOD = new Set(['active', 'trialing', ...LATE])

/** Returns subscriptions that are active at the processor, were paid, and have a known plan. */
function purchasesOf(facts: BillingFacts): readonly Purchase[] {
  const checkoutsOf = Map.groupBy(
    facts.checkouts.filter(({ completedAt }) => completedAt !== null),
    ({ subscriptionId }) => subscriptionId,
  )
  const superseded = new Set(supersededBy(facts).map(({ subscriptionId }) => subscriptionId))
  return facts.subscriptions.flatMap((subscription): readonly Purchase[] => {
    const checkouts = checkoutsOf.get(subscription.id) ?? []
    const paid = checkouts.find(({ paymentStatus }) => isPaid(paymentStatus))
    // One that the operator made needs neither a checkout nor an invoice that we know of.
    const isTrusted = checkouts.length === 0 && !subscription.isSoldHere
    const isPaidFor = isTrusted || paid !== undefined || facts.paidFor.has(subscription.id)
    // The checkout's event may arrive before that of the subscription.
    const isGood = GOOD.has(subscription.status) || (subscription.status === 'incomplete' && paid !== undefined)
    // A payment link may name its plan on the checkout alone. Sales made here name it on the subscription too.
    const plan = subscription.plan ?? (paid?.isFromLink ? paid.plan : null)
    if (!isGood || !isPaidFor || plan === null || superseded.has(subscription.id)) return []
    return [
      {
        subscriptionId: subscription.id,
        customerId: subscription.customerId,
        plan,
        isPastDue: LATE.has(subscription.status) || facts.failing.has(subscription.id),
        currentPeriodEnd: subscription.currentPeriodEnd,
        endsAt: endOf(subscription),
      },
    ]
  })
}

function byValue(one: Purchase, other: Purchase): number {
  const difference = PLAN_IDS.indexOf(other.plan) - PLAN_IDS.indexOf(one.plan)
  if (difference !== 0) return difference
  return one.subscriptionId < other.subscriptionId ? -1 : 1
}

function wasPaid({ subscriptions, checkouts }: BillingFacts): boolean {
  return (
    subscriptions.some(({ status }) => !status.startsWith('incomplete')) ||
    checkouts.some(({ paymentStatus, completedAt }) => completedAt !== null && isPaid(paymentStatus))
  )
}

/** Returns the customer of the portal when no plan is bought: that of the newest subscription, else of the checkout. */
function latestCustomer({ subscriptions, checkouts }: BillingFacts): string | null {
  const [subscription] = subscriptions.toSorted(
    (one, other) => other.eventCreated - one.eventCreated || (one.id < other.id ? -1 : 1),
  )
  if (subscription !== undefined) return subscription.customerId
  const [checkout] = checkouts
    .filter(({ customerId, completedAt }) => customerId !== null && completedAt !== null)
    .toSorted(
      (one, other) =>
        (other.completedAt?.getTime() ?? 0) - (one.completedAt?.getTime() ?? 0) || (one.id < other.id ? -1 : 1),
    )
  return checkout?.customerId ?? null
}

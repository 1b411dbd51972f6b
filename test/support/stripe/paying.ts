import type { PaymentProcessor } from '../../../core/billing/processor.ts'
import { createStripeProcessor } from '../../../core/billing/stripe/stripe-processor.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Limits } from '../../../core/limits.ts'
import { findBillingAccount } from '../../../db/billing/account/find-account.ts'
import { recordEvent } from '../../../db/billing/across/record-event.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenTenant, limits } from '../db/given.ts'
import type { FakeStripe } from './fake.ts'
import {
  checkoutObject,
  eventOf,
  signedEvent,
  stripeSettings,
  subscriptionObject,
  type StripeEvent,
  type StripeObject,
} from './objects.ts'

const SECOND = 1 / 86_400

/** Steps of dunning two seconds apart. */
export const QUICK_DUNNING = {
  dunning_days_1: 2 * SECOND,
  dunning_days_2: 2 * SECOND,
  dunning_days_3: 2 * SECOND,
} as const

/** The default limits with these steps. */
export const QUICK: Limits = limits(QUICK_DUNNING)

let serial = 0

/** An id of the processor that no other test of this process has. */
export const fresh = (prefix: string): string => `${prefix}_w${++serial}`

/** A tenant that pays for pro. */
export interface PayingTenant {
  readonly op: Operation
  readonly name: string
  readonly tenantId: string
  readonly customerId: string
  readonly subscriptionId: string
  /** Its subscription as an event tells it. */
  readonly subscription: (change?: StripeObject) => StripeObject
}

/** Payments as the processor reports them, taken in without the API. */
export interface Payments {
  /** Takes in an event; throws when it has no effect. */
  readonly tell: (event: StripeEvent) => Promise<void>
  /** Signs a tenant up that pays until a time, in seconds. */
  readonly givenPaying: (periodEnd: number) => Promise<PayingTenant>
  readonly planOf: (op: Operation) => Promise<string>
}

/** The processor of tests. */
export function testProcessor(stripe: FakeStripe): PaymentProcessor {
  return createStripeProcessor(stripeSettings(stripe.url), { toleranceS: 300 })
}

/** Returns payments into the rows of a database, at the times of a clock. */
export function openPayments(
  at: () => { readonly db: Database; readonly stripe: FakeStripe },
  now: () => Date = () => new Date(),
): Payments {
  const tell = async (event: StripeEvent): Promise<void> => {
    const { db, stripe } = at()
    const { payload, header } = signedEvent(event, now())
    const { outcome } = await recordEvent(db, testProcessor(stripe).readEvent(Buffer.from(payload), header, now()), {
      requestId: newId('req'),
      now: now(),
      limits: QUICK,
      isLivemode: false,
    })
    if (outcome !== 'applied') throw new Error(`the event ${event.type} was ${outcome}`)
  }
  return {
    tell,
    async givenPaying(periodEnd) {
      const { db, stripe } = at()
      const { op, tenant } = await givenTenant(db, now)
      const ids = { tenantId: op.tenantId, customerId: fresh('cus'), subscriptionId: fresh('sub') }
      const created = Math.floor(now().getTime() / 1000) - 1000
      const subscription = (change: StripeObject = {}) =>
        subscriptionObject({ ...ids, id: ids.subscriptionId, plan: 'pro', created, periodEnd, change })
      const checkout = checkoutObject({ ...ids, id: fresh('cs'), plan: 'pro', created })
      await tell(eventOf(fresh('evt'), 'checkout.session.completed', created + 1, checkout))
      await tell(eventOf(fresh('evt'), 'customer.subscription.updated', created + 1, subscription()))
      stripe.state.subscriptions.set(ids.subscriptionId, subscription())
      stripe.state.customers.set(ids.customerId, { id: ids.customerId, object: 'customer' })
      return { op, name: tenant.name, ...ids, subscription }
    },
    planOf: async (op) => (await findBillingAccount(op)).plan,
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { PaymentProcessor } from '../../../core/billing/processor.ts'
import { createStripeProcessor } from '../../../core/billing/stripe/stripe-processor.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Limits } from '../../../core/limits.ts'
import { findBillingAccount } from '../../../db/billing/account/find-account.ts'
import { recordEvent } from '../../../db/billing/across/record-event.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenTenant, limits } from '../../support/db/given.ts'
import { useFakeStripe, type FakeStripe } from '../../support/stripe/fake.ts'
import {
  checkoutObject,
  eventOf,
  signedEvent,
  stripeSettings,
  subscriptionObject,
  type StripeEvent,
  type StripeObject,
} from '../../support/stripe/objects.ts'
import { useService, type TestService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const SECOND = 1 / 86_400

/** Steps of dunning two seconds apart. */
export const QUICK: Limits = limits({
  dunning_days_1: 2 * SECOND,
  dunning_days_2: 2 * SECOND,
  dunning_days_3: 2 * SECOND,
})

let serial = 0

/** An id of the processor that no other test of this process has. */
export const fresh = (prefix: string): string => `${prefix}_w${++serial}`

/** Now, in seconds. */
export const nowS = (): number => Math.floor(Date.now() / 1000)

/** Waits until something is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(200)
}

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

/** The workers of the service with a payment processor, and what tests of billing do with them. */
export interface BillingService {
  readonly service: TestService
  readonly stripe: FakeStripe
  /** Takes the key of the processor from the workers, or gives it back. */
  readonly setKeyless: (isKeyless: boolean) => void
  /** Takes in an event, which must have an effect. */
  readonly tell: (event: StripeEvent) => Promise<void>
  /** Signs a tenant up that pays until a time, in seconds. */
  readonly givenPaying: (periodEnd: number) => Promise<PayingTenant>
  /** Starts or wakes the workflow that the outbox requests. */
  readonly start: (workflowId: string) => Promise<boolean>
  /** Has a workflow of billing look at its rows although nothing asks for it, as its timer would. */
  readonly wake: (op: Operation) => Promise<void>
  /** Moves the clock of the workers. */
  readonly skip: (ms: number) => void
  /** Waits until the rows record that the processor was notified of the end of a subscription. */
  readonly untilEndIsTold: (subscriptionId: string) => Promise<void>
  readonly resultOf: (workflowId: string) => Promise<unknown>
  readonly planOf: (op: Operation) => Promise<string>
}

/** Runs them for the surrounding suite; without workers the rows and their workflows wait for a test to start some. */
export function useBillingService(options: { readonly withWorkers?: boolean } = {}): BillingService {
  const stripe = useFakeStripe()
  const processor = (): PaymentProcessor => createStripeProcessor(stripeSettings(stripe.url), { toleranceS: 300 })
  let isKeyless = false
  let skippedMs = 0
  const service = useService({
    ...options,
    change: (deps) => ({
      ...deps,
      limits: QUICK,
      now: () => new Date(Date.now() + skippedMs),
      get processor() {
        return isKeyless ? null : processor()
      },
    }),
  })
  const tell = async (event: StripeEvent): Promise<void> => {
    const { payload, header } = signedEvent(event, new Date())
    const { outcome } = await recordEvent(
      service.database.db,
      processor().readEvent(Buffer.from(payload), header, new Date()),
      { requestId: newId('req'), now: new Date(), limits: QUICK, isLivemode: false },
    )
    expect(outcome).to.equal('applied')
  }
  return {
    service,
    stripe,
    setKeyless(wanted) {
      isKeyless = wanted
    },
    tell,
    async givenPaying(periodEnd) {
      const { op, tenant } = await givenTenant(service.database.db)
      const ids = { tenantId: op.tenantId, customerId: fresh('cus'), subscriptionId: fresh('sub') }
      const created = nowS() - 1000
      const subscription = (change: StripeObject = {}) =>
        subscriptionObject({ ...ids, id: ids.subscriptionId, plan: 'pro', created, periodEnd, change })
      const checkout = checkoutObject({ ...ids, id: fresh('cs'), plan: 'pro', created })
      await tell(eventOf(fresh('evt'), 'checkout.session.completed', created + 1, checkout))
      await tell(eventOf(fresh('evt'), 'customer.subscription.updated', created + 1, subscription()))
      stripe.state.subscriptions.set(ids.subscriptionId, subscription())
      stripe.state.customers.set(ids.customerId, { id: ids.customerId, object: 'customer' })
      return { op, name: tenant.name, ...ids, subscription }
    },
    async wake({ tenantId }) {
      const workflowId = `${tenantId}/billing`
      await service.temporal.client.workflow.signalWithStart('billing', {
        workflowId,
        taskQueue: 'io',
        signal: 'changed',
        args: [{ workflowId, tenantId }],
      })
    },
    skip(ms) {
      skippedMs += ms
    },
    untilEndIsTold: async (subscriptionId) =>
      await until(async () => {
        const told = await sendSql(
          service.database.db,
          'select 1 from subscriptions where id = $1 and end_pushed_at is not null',
          [subscriptionId],
        )
        return told.length > 0
      }),
    start: async (workflowId) => await service.deps.workflows.start(workflowId),
    resultOf: async (workflowId) => await service.temporal.client.workflow.getHandle(workflowId).result(),
    planOf: async (op) => (await findBillingAccount(op)).plan,
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pokeSoon } from '../../../activities/poke-workflow.ts'
import type { PaymentProcessor } from '../../../core/billing/processor.ts'
import { createStripeProcessor } from '../../../core/billing/stripe-processor.ts'
import { newId } from '../../../core/ids.ts'
import type { Limits } from '../../../core/tenancy/limits.ts'
import { cancelPlan } from '../../../db/billing/cancel-plan.ts'
import { changeToFree } from '../../../db/billing/change-plan.ts'
import { findBillingAccount, openDunnings } from '../../../db/billing/find-account.ts'
import { recordEvent } from '../../../db/billing/record-event.ts'
import { updateTax } from '../../../db/billing/update-tax.ts'
import { findJob } from '../../../db/jobs/find-job.ts'
import type { Operation } from '../../../db/operation.ts'
import { deleteTenant } from '../../../db/tenants/delete-tenant.ts'
import { givenTenant, limits } from '../../db/given.ts'
import { expectAudited } from '../../support/audit.ts'
import { useFakeStripe } from '../../support/stripe/fake.ts'
import {
  checkoutObject,
  eventOf,
  invoiceObject,
  signedEvent,
  stripeSettings,
  subscriptionObject,
  type StripeEvent,
  type StripeObject,
} from '../../support/stripe/objects.ts'
import { recordHistory } from '../histories.ts'
import { nameExamples, submitJob, useService } from '../service.ts'

const SECOND = 1 / 86_400

/** Steps of dunning two seconds apart. */
const QUICK: Limits = limits({
  dunning_days_1: 2 * SECOND,
  dunning_days_2: 2 * SECOND,
  dunning_days_3: 2 * SECOND,
})

describe('billing workflows', () => {
  const stripe = useFakeStripe()
  const processor = (): PaymentProcessor => createStripeProcessor(stripeSettings(stripe.url), { toleranceS: 300 })
  const service = useService({ change: (deps) => ({ ...deps, limits: QUICK, processor: processor() }) })
  let serial = 0
  const fresh = (prefix: string) => `${prefix}_w${++serial}`
  const nowS = () => Math.floor(Date.now() / 1000)

  const tell = async (event: StripeEvent): Promise<void> => {
    const { payload, header } = signedEvent(event, new Date())
    const { outcome } = await recordEvent(
      service.database.db,
      processor().readEvent(Buffer.from(payload), header, new Date()),
      { requestId: newId('req'), now: new Date(), limits: QUICK, isLivemode: false },
    )
    expect(outcome).to.equal('applied')
  }
  /** A tenant that pays for pro until a time. */
  const givenPaying = async (periodEnd: number) => {
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
  }
  const poke = async (workflowId: string) => await pokeSoon(service.deps, workflowId)
  const resultOf = async (workflowId: string): Promise<unknown> =>
    await service.temporal.client.workflow.getHandle(workflowId).result()
  const planOf = async (op: Operation): Promise<string> => (await findBillingAccount(op)).plan
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await sleep(200)
  }
  const mailsTo = async (op: Operation): Promise<readonly string[]> => {
    const rows = await op.db.query<{ template: string }>(
      `select template from mails where tenant_id = $1 and template <> 'plan_changed' order by created_at, id`,
      [op.tenantId],
    )
    return rows.map(({ template }) => template)
  }

  it('tell the processor of a cancellation, and end the plan with its period, once', async () => {
    const { op, subscriptionId } = await givenPaying(nowS() + 12)
    const workflowId = `${op.tenantId}/billing`
    await cancelPlan(op, { limits: QUICK })
    await poke(workflowId)
    await until(async () => stripe.state.subscriptions.get(subscriptionId)?.['cancel_at_period_end'] === true)
    expect(await planOf(op)).to.equal('pro')
    // A second poke while it waits changes nothing.
    await cancelPlan(op, { limits: QUICK })
    await poke(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(await findBillingAccount(op)).to.include({ plan: 'free', billingStatus: 'cancelled' })
    const { payload } = await expectAudited(op, 'billing.plan_changed', op.tenantId)
    expect(payload).to.include({ from: 'pro', to: 'free', reason: 'period-end' })
    const told = stripe.calls.filter(({ method, path }) => method === 'POST' && path.endsWith(subscriptionId))
    expect(told).to.have.length(1)
    await recordHistory(service.temporal, 'billing-cancelled', workflowId)
  })

  it('go on with a plan whose cancellation was taken back at the processor', async () => {
    const { op, subscription } = await givenPaying(nowS() + 8)
    const workflowId = `${op.tenantId}/billing`
    await cancelPlan(op, { limits: QUICK })
    await poke(workflowId)
    await until(async () => stripe.calls.some(({ form }) => form['cancel_at_period_end'] === 'true'))
    await sleep(1500)
    const renewed = subscription({
      items: { data: [{ current_period_end: nowS() + 9999, price: { id: 'price_pro' } }] },
    })
    await tell(eventOf(fresh('evt'), 'customer.subscription.updated', nowS() + 2, renewed))
    await poke(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(await planOf(op)).to.equal('pro')
  })

  it('end a subscription at the processor whenever it comes back, while the free plan is in force at once', async () => {
    const { op, subscriptionId } = await givenPaying(nowS() + 9999)
    const workflowId = `${op.tenantId}/billing`
    stripe.setDown(true)
    await changeToFree(op, { limits: QUICK })
    expect(await planOf(op)).to.equal('free')
    await poke(workflowId)
    await sleep(2000)
    stripe.setDown(false)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(stripe.state.subscriptions.get(subscriptionId)).to.include({ status: 'canceled' })
    expect(await planOf(op)).to.equal('free')
  })

  it('bring tax fields to the customer, and find nothing to do afterwards', async () => {
    const { op, customerId } = await givenPaying(nowS() + 9999)
    const workflowId = `${op.tenantId}/billing`
    await updateTax(op, { companyName: 'Example GmbH', vatNumber: 'DE123456789' })
    await poke(workflowId)
    await resultOf(workflowId)
    expect(stripe.state.customers.get(customerId)).to.include({ name: 'Example GmbH' })
    const before = stripe.calls.length
    await service.temporal.client.workflow.signalWithStart('billing', {
      workflowId,
      taskQueue: 'io',
      signal: 'changed',
      args: [{ workflowId, tenantId: op.tenantId }],
    })
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(stripe.calls).to.have.length(before)
    await recordHistory(service.temporal, 'billing-idle', workflowId)
  })

  it('remind twice, suspend the plan, and bring it back when the payment comes', async () => {
    const { op, ...ids } = await givenPaying(nowS() + 9999)
    const failing = { ...ids, id: fresh('in'), created: nowS() }
    const failed = invoiceObject({ ...failing, change: { status: 'open', amount_paid: 0 } })
    await tell(eventOf(fresh('evt'), 'invoice.payment_failed', nowS(), failed))
    const [dunning] = await openDunnings(op)
    expect(dunning).to.include({ attempt: 0, state: 'scheduled', subscriptionId: ids.subscriptionId })
    expect(await findBillingAccount(op)).to.include({ plan: 'pro', billingStatus: 'past_due' })
    const workflowId = dunning?.id ?? ''
    await expectAudited(op, 'billing.dunning_opened', workflowId)
    await poke(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'suspended' })
    expect(await findBillingAccount(op)).to.include({ plan: 'free', billingStatus: 'suspended' })
    const mails = await mailsTo(op)
    expect(mails.at(-1)).to.equal('suspended')
    expect(mails.length).to.be.within(1, 3)
    await expectAudited(op, 'billing.dunning_suspended', workflowId)
    await recordHistory(service.temporal, 'dunning-suspended', workflowId)
    await tell(eventOf(fresh('evt'), 'invoice.paid', nowS(), invoiceObject(failing)))
    expect(await findBillingAccount(op)).to.include({ plan: 'pro', billingStatus: 'active' })
    expect(await openDunnings(op)).to.deep.equal([])
    expect((await mailsTo(op)).at(-1)).to.equal('recovered')
    await expectAudited(op, 'billing.dunning_recovered', workflowId)
  })

  it('end a dunning when the payment comes before its first step, without a mail', async () => {
    const { op, ...ids } = await givenPaying(nowS() + 9999)
    const failing = { ...ids, id: fresh('in'), created: nowS() }
    const later = nowS() + 3600
    const failed = invoiceObject({ ...failing, change: { status: 'open', amount_paid: 0 } })
    await tell(eventOf(fresh('evt'), 'invoice.payment_failed', later, failed))
    const workflowId = (await openDunnings(op))[0]?.id ?? ''
    await poke(workflowId)
    await tell(eventOf(fresh('evt'), 'invoice.paid', later, invoiceObject(failing)))
    await poke(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'over' })
    expect(await mailsTo(op)).to.deep.equal([])
    await recordHistory(service.temporal, 'dunning-recovered', workflowId)
  })

  it('clear up after a deletion: jobs, subscription, workspace', async () => {
    const { op, name, subscriptionId } = await givenPaying(nowS() + 9999)
    const { job } = await submitJob(op, { examples: nameExamples() })
    await deleteTenant(op, { confirm: `DELETE ${name}`, limits: QUICK })
    const workflowId = `${op.tenantId}/deletion`
    await poke(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ runsCancelled: 1, subscriptions: 'ended' })
    expect((await findJob(op, job.id)).status).to.equal('cancelled')
    expect(stripe.state.subscriptions.get(subscriptionId)).to.include({ status: 'canceled' })
    await recordHistory(service.temporal, 'deletion-done', workflowId)
  })

  it('leave the subscription of a deleted tenant to be ended later while the processor is down', async () => {
    const { op, name, subscriptionId } = await givenPaying(nowS() + 9999)
    stripe.setDown(true)
    await deleteTenant(op, { confirm: `DELETE ${name}`, limits: QUICK })
    const workflowId = `${op.tenantId}/deletion`
    await poke(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ runsCancelled: 0, subscriptions: 'left' })
    stripe.setDown(false)
    await recordHistory(service.temporal, 'deletion-down', workflowId)
    await poke(`${op.tenantId}/billing`)
    await resultOf(`${op.tenantId}/billing`)
    expect(stripe.state.subscriptions.get(subscriptionId)).to.include({ status: 'canceled' })
  })
})

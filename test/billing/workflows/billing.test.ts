import { expect } from 'chai'
import { findBillingAccount } from '../../../db/billing/account/find-account.ts'
import { updateTax } from '../../../db/billing/account/update-tax.ts'
import { cancelPlan } from '../../../db/billing/subscriptions/cancel-plan.ts'
import { changeToFree, keepPlan } from '../../../db/billing/subscriptions/change-plan.ts'
import { givenTenant } from '../../support/db/given.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { checkoutObject, eventOf } from '../../support/stripe/objects.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { nowS, until, useBillingService } from './billing-service.ts'
import { fresh, QUICK } from '../../support/stripe/paying.ts'

const HOUR_S = 3600

describe('billing workflows', () => {
  const { service, stripe, setKeyless, tell, givenPaying, start, resultOf, planOf, wake, skip, untilEndIsTold } =
    useBillingService()

  it('tell the processor of a cancellation, and end the plan with its period, once', async () => {
    const { op, subscriptionId } = await givenPaying(nowS() + HOUR_S)
    const workflowId = `${op.tenantId}/billing`
    await cancelPlan(op, { limits: QUICK })
    await start(workflowId)
    await until(async () => stripe.state.subscriptions.get(subscriptionId)?.['cancel_at_period_end'] === true)
    expect(await planOf(op)).to.equal('pro')
    // A second wake while it waits changes nothing.
    await cancelPlan(op, { limits: QUICK })
    skip(HOUR_S * 1000)
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    skip(-HOUR_S * 1000)
    expect(await findBillingAccount(op)).to.include({ plan: 'free', billingStatus: 'cancelled' })
    const { payload } = await expectAudited(op, 'billing.plan_changed', op.tenantId)
    expect(payload).to.include({ from: 'pro', to: 'free', reason: 'period-end' })
    const told = stripe.calls.filter(({ method, path }) => method === 'POST' && path.endsWith(subscriptionId))
    expect(told).to.have.length(1)
    await recordHistory(service.temporal, 'billing-cancelled', workflowId)
  })

  it('resume a plan whose cancellation was withdrawn at the processor', async () => {
    const { op, subscription, subscriptionId } = await givenPaying(nowS() + HOUR_S)
    const workflowId = `${op.tenantId}/billing`
    await cancelPlan(op, { limits: QUICK })
    await start(workflowId)
    await untilEndIsTold(subscriptionId)
    const renewed = subscription({
      items: { data: [{ current_period_end: nowS() + 9999, price: { id: 'price_pro' } }] },
    })
    await tell(eventOf(fresh('evt'), 'customer.subscription.updated', nowS() + 2, renewed))
    await wake(op)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(await planOf(op)).to.equal('pro')
  })

  it('tell the processor again of a cancellation that is decided again', async () => {
    const { op, subscription, subscriptionId } = await givenPaying(nowS() + HOUR_S)
    const workflowId = `${op.tenantId}/billing`
    const isEnding = () => stripe.state.subscriptions.get(subscriptionId)?.['cancel_at_period_end'] === true
    await cancelPlan(op, { limits: QUICK })
    await start(workflowId)
    await untilEndIsTold(subscriptionId)
    // It is taken back in the portal, and cancelled here again in a later second: in the same one it could be either.
    const takenBackAt = nowS() + 1
    stripe.state.subscriptions.set(subscriptionId, subscription())
    await tell(eventOf(fresh('evt'), 'customer.subscription.updated', takenBackAt, subscription()))
    await until(async () => nowS() > takenBackAt)
    await cancelPlan(op, { limits: QUICK })
    await start(workflowId)
    await until(async () => isEnding())
    skip(HOUR_S * 1000)
    await wake(op)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    skip(-HOUR_S * 1000)
    expect(await planOf(op)).to.equal('free')
  })

  it('notify the processor of a cancellation that was withdrawn here', async () => {
    const { op, subscriptionId } = await givenPaying(nowS() + HOUR_S)
    const workflowId = `${op.tenantId}/billing`
    const isEnding = () => stripe.state.subscriptions.get(subscriptionId)?.['cancel_at_period_end']
    await cancelPlan(op, { limits: QUICK })
    await start(workflowId)
    await until(async () => isEnding() === true)
    await keepPlan(op, { plan: 'pro', limits: QUICK })
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(isEnding()).to.equal(false)
    expect(await planOf(op)).to.equal('pro')
    await recordHistory(service.temporal, 'billing-kept', workflowId)
  })

  it('end a subscription at the processor whenever it comes back, while the free plan is in force at once', async () => {
    const { op, subscriptionId } = await givenPaying(nowS() + 9999)
    const workflowId = `${op.tenantId}/billing`
    stripe.setDown(true)
    await changeToFree(op, { limits: QUICK })
    expect(await planOf(op)).to.equal('free')
    const callsBefore = stripe.calls.length
    await start(workflowId)
    await until(async () => stripe.calls.length > callsBefore)
    stripe.setDown(false)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(stripe.state.subscriptions.get(subscriptionId)).to.include({ status: 'canceled' })
    expect(await planOf(op)).to.equal('free')
  })

  it('bring tax fields to the customer, and find nothing to do afterwards', async () => {
    const { op, customerId } = await givenPaying(nowS() + 9999)
    const workflowId = `${op.tenantId}/billing`
    await updateTax(op, { companyName: 'Example GmbH', vatNumber: 'DE123456789' })
    await start(workflowId)
    await resultOf(workflowId)
    expect(stripe.state.customers.get(customerId)).to.include({ name: 'Example GmbH' })
    const before = stripe.calls.length
    await wake(op)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(stripe.calls).to.have.length(before)
    await recordHistory(service.temporal, 'billing-idle', workflowId)
  })

  it('bring tax fields that were set before there was a customer, and touch no others', async () => {
    const { op } = await givenTenant(service.database.db)
    await updateTax(op, { companyName: 'Example GmbH' })
    const customerId = fresh('cus')
    const address = { line1: 'Example Street 1', city: 'Vienna', country: 'AT' }
    stripe.state.customers.set(customerId, { id: customerId, object: 'customer', address })
    stripe.state.taxIds.set('txi_own', { id: 'txi_own', customer: customerId, type: 'eu_vat', value: 'ATU12345678' })
    const ids = { tenantId: op.tenantId, customerId, subscriptionId: fresh('sub'), created: nowS() - 10 }
    const bought = checkoutObject({ ...ids, id: fresh('cs'), plan: 'pro' })
    await tell(eventOf(fresh('evt'), 'checkout.session.completed', nowS() - 9, bought))
    const workflowId = `${op.tenantId}/billing`
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(stripe.state.customers.get(customerId)).to.deep.include({ name: 'Example GmbH', address })
    expect(stripe.state.taxIds.has('txi_own')).to.equal(true)
  })

  it('give up a VAT number that the processor takes for wrong, and say so', async () => {
    const { op, customerId } = await givenPaying(nowS() + 9999)
    const workflowId = `${op.tenantId}/billing`
    await updateTax(op, { vatNumber: 'DE000000000' })
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(await findBillingAccount(op)).to.include({ isTaxRefused: true, vatNumber: 'DE000000000' })
    await expectAudited(op, 'billing.tax_refused', op.tenantId)
    await updateTax(op, { companyName: 'Example GmbH' })
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(stripe.state.customers.get(customerId)).to.include({ name: 'Example GmbH' })
    expect(await findBillingAccount(op)).to.include({ isTaxRefused: true, vatNumber: 'DE000000000' })
    await updateTax(op, { vatNumber: 'DE123456789' })
    expect(await findBillingAccount(op)).to.include({ isTaxRefused: false })
  })

  it('do not rest while a worker without a key cannot tell the processor', async () => {
    const { op, subscriptionId } = await givenPaying(nowS() + 9999)
    const workflowId = `${op.tenantId}/billing`
    setKeyless(true)
    await changeToFree(op, { limits: QUICK })
    await start(workflowId)
    const handle = service.temporal.client.workflow.getHandle(workflowId)
    const waits = async () => {
      const { events } = await handle.fetchHistory()
      return (events ?? []).some((event) => Boolean(event.timerStartedEventAttributes))
    }
    await until(waits)
    setKeyless(false)
    expect((await handle.describe()).status.name).to.equal('RUNNING')
    await handle.terminate('the pause is an hour')
    // The next reader reports it.
    await changeToFree(op, { limits: QUICK })
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(stripe.state.subscriptions.get(subscriptionId)).to.include({ status: 'canceled' })
  })
})

import { expect } from 'chai'
import type Stripe from 'stripe'
import { createStripeProcessor } from '../../../core/billing/stripe/stripe-processor.ts'
import type { PaymentProcessor } from '../../../core/billing/processor.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { findStripeMock, startStripeMock, type StripeMock } from '../../support/stripe/mock.ts'
import {
  checkoutObject,
  eventOf,
  signedEvent,
  stripeSettings,
  type StripeObject,
} from '../../support/stripe/objects.ts'
import { useFakeStripe } from '../../support/stripe/fake.ts'

const CHECKOUT = {
  tenantId: 'ten_a',
  plan: 'pro',
  customerId: null,
  email: 'a@example.test',
  quantity: 1,
  successUrl: 'https://svc.example.test/#paid',
  cancelUrl: 'https://svc.example.test/#cancelled',
  idempotencyKey: 'key-1',
} as const

const AT = new Date('2026-11-02T10:00:00Z')

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof DomainError ? error.code : expect.fail(`threw ${String(error)}`)
}

describe("Stripe's adapter", () => {
  const fake = useFakeStripe()
  const processor = (): PaymentProcessor => createStripeProcessor(stripeSettings(fake.url), { toleranceS: 300 })

  it('begins a checkout that carries tenant, plan and price in its metadata and in that of the subscription', async () => {
    const checkout = await processor().createCheckout(CHECKOUT)
    expect(checkout.url).to.match(/^https:/)
    const { form, idempotencyKey } = fake.calls.at(-1) ?? {}
    const metadata = { svc_tenant_id: 'ten_a', svc_plan: 'pro', svc_price_id: 'price_pro' }
    expect(form).to.deep.include({ metadata, subscription_data: { metadata }, client_reference_id: 'ten_a' })
    expect(form).to.deep.include({ line_items: { 0: { price: 'price_pro', quantity: '1' } }, mode: 'subscription' })
    expect(idempotencyKey).to.equal('key-1')
    expect(await processor().createCheckout(CHECKOUT)).to.deep.equal(checkout)
  })

  it('says billing_not_configured for a plan without a price and for a processor without a key', async () => {
    const unpriced = createStripeProcessor(stripeSettings(fake.url, { prices: {} }), { toleranceS: 300 })
    expect(await codeOf(unpriced.createCheckout(CHECKOUT))).to.equal('billing_not_configured')
    const keyless = createStripeProcessor({ webhookSecret: 'whsec_x', prices: {}, links: {} }, { toleranceS: 300 })
    expect(await codeOf(keyless.findCharge('ch_1'))).to.equal('billing_not_configured')
  })

  it('sells to a customer that was deleted at Stripe as to a new one', async () => {
    fake.state.customers.set('cus_deleted', { id: 'cus_deleted', deleted: true })
    const request = { ...CHECKOUT, customerId: 'cus_deleted', idempotencyKey: 'key-deleted' }
    expect((await processor().createCheckout(request)).url).to.match(/^https:/)
    expect(fake.calls.at(-1)?.form).to.include({ customer_email: CHECKOUT.email }).and.not.have.property('customer')
    const portal = { customerId: 'cus_deleted', returnUrl: 'https://svc.example.test/' }
    expect(await codeOf(processor().openPortal(portal))).to.equal('not_found')
    expect(await codeOf(processor().updateCustomer({ customerId: 'cus_deleted', taxId: '1' }))).to.equal('not_found')
  })

  it('keeps one VAT number with the customer, as Stripe writes it', async () => {
    fake.state.customers.set('cus_tax', { id: 'cus_tax', object: 'customer' })
    const update = { customerId: 'cus_tax', companyName: 'Example GmbH', countryCode: 'DE' }
    const numbers = async (vatNumber: string) => {
      await processor().updateCustomer({ ...update, vatNumber })
      return [...fake.state.taxIds.values()].map(({ type, value }) => ({ type, value }))
    }
    const german = [{ type: 'eu_vat', value: 'DE123456789' }]
    expect(await numbers('DE123456789')).to.deep.equal(german)
    const calls = fake.calls.filter(({ method }) => method !== 'GET').length
    expect(await numbers('DE123456789')).to.deep.equal(german)
    expect(fake.calls.filter(({ method }) => method !== 'GET')).to.have.length(calls + 1)
    expect(await numbers('NO123456789MVA')).to.deep.equal([{ type: 'no_vat', value: '123456789MVA' }])
    expect(await numbers('CHE123456789TVA')).to.deep.equal([{ type: 'ch_vat', value: 'CHE-123.456.789 TVA' }])
    expect(await numbers('CHE123456789')).to.deep.equal([{ type: 'ch_vat', value: 'CHE-123.456.789 MWST' }])
    expect(fake.state.customers.get('cus_tax')).to.deep.include({ name: 'Example GmbH', address: { country: 'DE' } })
    const wrong = processor().updateCustomer({ customerId: 'cus_tax', vatNumber: 'DE000000000' })
    expect(await codeOf(wrong)).to.equal('validation_failed')
    expect(fake.state.taxIds.size).to.equal(1)
  })

  it('changes the country of a customer, and leaves the rest of its address', async () => {
    const address = { line1: 'Example Street 1', line2: null, city: 'Vienna', country: 'AT', postal_code: '1010' }
    fake.state.customers.set('cus_address', { id: 'cus_address', object: 'customer', address })
    await processor().updateCustomer({ customerId: 'cus_address', countryCode: 'DE' })
    const { line2: _line2, ...lines } = address
    expect(fake.state.customers.get('cus_address')).to.deep.include({ address: { ...lines, country: 'DE' } })
    await processor().updateCustomer({ customerId: 'cus_address', companyName: 'Example' })
    expect(fake.calls.at(-1)?.form).to.deep.equal({ name: 'Example' })
  })

  it('leaves subscriptions alone that are over or unknown', async () => {
    fake.state.subscriptions.set('sub_over', { id: 'sub_over', status: 'canceled' })
    await processor().cancelNow({ subscriptionId: 'sub_over' })
    await processor().setCancelAtPeriodEnd({ subscriptionId: 'sub_gone', isSet: true })
    expect(fake.calls.filter(({ method, path }) => method !== 'GET' && path.includes('/subscriptions/'))).to.deep.equal(
      [],
    )
  })

  it('lets a subscription end each time that it is asked to, also after the end was taken back', async () => {
    fake.state.subscriptions.set('sub_back', { id: 'sub_back', status: 'active', cancel_at_period_end: false })
    for (const isSet of [true, false, true]) {
      await processor().setCancelAtPeriodEnd({ subscriptionId: 'sub_back', isSet })
      expect(fake.state.subscriptions.get('sub_back')).to.include({ cancel_at_period_end: isSet })
    }
  })

  it('says processor_failed while Stripe is down, and hides what it said', async () => {
    fake.setDown(true)
    const error = await processor()
      .openPortal({ customerId: 'cus_1', returnUrl: 'https://svc.example.test/' })
      .catch((thrown: unknown) => thrown)
    fake.setDown(false)
    expect(error).to.include({ code: 'processor_failed' })
    expect(JSON.stringify(error)).to.not.include('down for a test')
  })

  describe('reading events', () => {
    const event = eventOf(
      'evt_1',
      'checkout.session.completed',
      1_793_000_000,
      checkoutObject({ id: 'cs_1', tenantId: 'ten_a', customerId: 'cus_1', subscriptionId: 'sub_1', created: 1 }),
    )
    const { payload, header } = signedEvent(event, AT)
    const shifted = (seconds: number) => new Date(AT.getTime() + seconds * 1000)
    const read = (text: string, signature: string, now: Date) =>
      codeOf(Promise.resolve().then(() => processor().readEvent(Buffer.from(text), signature, now)))

    it('takes what was signed within the window', () => {
      for (const seconds of [-300, 0, 300]) {
        expect(processor().readEvent(Buffer.from(payload), header, shifted(seconds)).id).to.equal('evt_1')
      }
      const several = header.replace(',v1=', `,v1=${'0'.repeat(64)},v0=x,v1=`)
      expect(processor().readEvent(Buffer.from(payload), several, AT).snapshot).to.include({ kind: 'checkout' })
    })

    it('refuses other bytes, other secrets, and times outside of the window, on both sides', async () => {
      expect(await read(payload.replace('ten_a', 'ten_b'), header, AT)).to.equal('invalid_signature')
      expect(await read(payload, signedEvent(event, AT, 'whsec_other').header, AT)).to.equal('invalid_signature')
      expect(await read(payload, header, shifted(302))).to.equal('invalid_signature')
      expect(await read(payload, header, shifted(-302))).to.equal('invalid_signature')
      for (const broken of ['', 't=,v1=', 'v1=00', `t=${AT.getTime() / 1000}`, `${header},t=1`, 'x']) {
        expect(await read(payload, broken, AT), broken).to.equal('invalid_signature')
      }
      expect(await read('', signedEvent(event, AT).header, AT)).to.equal('invalid_signature')
    })

    it('says validation_failed for a signed event that is not what its type says', async () => {
      const odd = signedEvent({ ...event, data: { object: { id: 7 } } }, AT)
      expect(await read(odd.payload, odd.header, AT)).to.equal('validation_failed')
    })
  })
})

describe("Stripe's adapter against stripe-mock", () => {
  const binary = findStripeMock()
  let mock: StripeMock | undefined
  before(async function () {
    if (binary === undefined) return this.skip()
    mock = await startStripeMock(binary)
  })
  after(async () => {
    await mock?.stop()
  })
  const processor = (): PaymentProcessor => createStripeProcessor(stripeSettings(mock?.url ?? ''), { toleranceS: 300 })

  it('makes calls that agree with the OpenAPI document of Stripe', async () => {
    const checkout = await processor().createCheckout(CHECKOUT)
    expect(checkout.id).to.be.a('string')
    await processor().createCheckout({ ...CHECKOUT, customerId: 'cus_1', idempotencyKey: 'key-2' })
    expect(await processor().openPortal({ customerId: 'cus_1', returnUrl: 'https://svc.example.test/' })).to.be.a(
      'string',
    )
    await processor().setCancelAtPeriodEnd({ subscriptionId: 'sub_1', isSet: true })
    await processor().cancelNow({ subscriptionId: 'sub_1' })
    const update = { customerId: 'cus_1', companyName: 'Example', countryCode: 'DE', taxId: '12/345' }
    await processor().updateCustomer({ ...update, vatNumber: 'DE123456789' })
    await processor().updateCustomer({ customerId: 'cus_1', countryCode: null, companyName: null })
    const charge = await processor().findCharge('ch_1')
    expect(charge?.amountCents).to.be.a('number')
    await processor().findChargeOfPaymentIntent('pi_1')
    const refund = await processor().refund({
      chargeId: 'ch_1',
      amountCents: 100,
      reason: 'duplicate',
      refundId: 'rfd_1',
      tenantId: 'ten_a',
      idempotencyKey: 'e',
    })
    expect(refund.id).to.be.a('string')
  })

  it('finds in its objects what it reads of them, where they stand in the version of the SDK', async () => {
    const read = async (type: Stripe.Event.Type, path: string) => {
      const answer = await fetch(`${mock?.url}/v1/${path}`, { headers: { authorization: 'Bearer sk_test_123' } })
      const { payload, header } = signedEvent(eventOf('evt_1', type, 1, (await answer.json()) as StripeObject), AT)
      return processor().readEvent(Buffer.from(payload), header, AT).snapshot
    }
    const subscription = await read('customer.subscription.updated', 'subscriptions/sub_1')
    expect(subscription).to.include({ kind: 'subscription', status: 'active', isCancelAtPeriodEnd: true })
    expect(subscription).to.have.property('currentPeriodEndS').that.is.a('number')
    expect(subscription)
      .to.have.property('priceId')
      .that.matches(/^price_/)
    const invoice = await read('invoice.paid', 'invoices/in_1')
    expect(invoice).to.include({ kind: 'invoice', subscriptionId: 'subscription' })
    expect(invoice).to.have.property('customerId').that.matches(/^cus_/)
    expect(await read('refund.created', 'refunds/re_1')).to.include({ kind: 'refund', status: 'succeeded' })
    expect(await read('checkout.session.expired', 'checkout/sessions/cs_1')).to.include({ paymentStatus: 'unpaid' })
    expect(await read('customer.updated', 'customers/cus_1')).to.include({ creditBalanceCents: 0 })
  })
})

import { expect } from 'chai'
import { episodesOf, stepTimes } from '../../../core/billing/dunning.ts'
import { subscriptionRank, supersedes } from '../../../core/billing/events/fold.ts'
import { standingOf, supersededBy, type BillingFacts, type SubscriptionFacts } from '../../../core/billing/standing.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'

const at = (seconds: number) => new Date(seconds * 1000)
const NOW = at(10_000)

const subscription = (change: Partial<SubscriptionFacts> = {}): SubscriptionFacts => ({
  id: 'sub_1',
  customerId: 'cus_1',
  plan: 'pro',
  isSoldHere: false,
  status: 'active',
  startedAt: at(100),
  currentPeriodEnd: at(20_000),
  isCancelAtPeriodEnd: false,
  endsAt: null,
  endPushedAt: null,
  resumeDueAt: null,
  eventCreated: 1000,
  ...change,
})

const checkout = (change: Partial<BillingFacts['checkouts'][number]> = {}): BillingFacts['checkouts'][number] => ({
  id: 'cs_1',
  plan: 'pro',
  isFromLink: false,
  paymentStatus: 'paid',
  customerId: 'cus_1',
  subscriptionId: 'sub_1',
  completedAt: at(101),
  ...change,
})

const facts = (change: Partial<BillingFacts> = {}): BillingFacts => ({
  isDeleted: false,
  pendingPlan: null,
  grantedPlan: null,
  subscriptions: [],
  checkouts: [],
  paidFor: new Set(),
  failing: new Set(),
  suspended: new Set(),
  ...change,
})

const standing = (change: Partial<BillingFacts>) => {
  const { plan, billingStatus } = standingOf(facts(change), NOW)
  return `${plan} ${billingStatus}`
}

describe('how a tenant stands', () => {
  it('follows from subscriptions that are paid', () => {
    expect(standing({})).to.equal('free free')
    expect(standing({ pendingPlan: 'pro' })).to.equal('free pending')
    expect(standing({ subscriptions: [subscription()] })).to.equal('pro active')
    expect(standing({ subscriptions: [subscription({ status: 'past_due' })] })).to.equal('pro past_due')
    expect(standing({ subscriptions: [subscription()], failing: new Set(['sub_1']) })).to.equal('pro past_due')
    expect(standing({ subscriptions: [subscription({ status: 'canceled' })] })).to.equal('free cancelled')
    expect(standing({ subscriptions: [subscription({ status: 'incomplete' })] })).to.equal('free free')
    expect(standing({ subscriptions: [subscription({ plan: null })] })).to.equal('free cancelled')
    expect(standing({ subscriptions: [subscription()], isDeleted: true })).to.equal('free cancelled')
    const suspended = new Set(['sub_1'])
    expect(standing({ subscriptions: [subscription()], suspended, failing: suspended })).to.equal('free suspended')
  })

  it('waits for the payment of a checkout that was not paid at once', () => {
    const unpaid = { subscriptions: [subscription()], checkouts: [checkout({ paymentStatus: 'unpaid' })] }
    expect(standing(unpaid)).to.equal('free cancelled')
    expect(standing({ ...unpaid, paidFor: new Set(['sub_1']) })).to.equal('pro active')
    expect(standing({ ...unpaid, checkouts: [checkout()] })).to.equal('pro active')
    const soldHere = [subscription({ isSoldHere: true })]
    expect(standing({ subscriptions: soldHere })).to.equal('free cancelled')
    expect(standing({ subscriptions: soldHere, paidFor: new Set(['sub_1']) })).to.equal('pro active')
    expect(standing({ subscriptions: soldHere, checkouts: [checkout()] })).to.equal('pro active')
    const early = [subscription({ status: 'incomplete' })]
    expect(standing({ subscriptions: early, checkouts: [checkout()] })).to.equal('pro active')
  })

  it('takes the highest of several plans, and the one that was bought here in place of older ones', () => {
    const two = [subscription(), subscription({ id: 'sub_2', plan: 'starter', startedAt: at(200) })]
    expect(standing({ subscriptions: two })).to.equal('pro active')
    const bought = checkout({ id: 'cs_2', plan: 'starter', subscriptionId: 'sub_2', completedAt: at(201) })
    expect(standing({ subscriptions: two, checkouts: [checkout(), bought] })).to.equal('starter active')
    expect(supersededBy(facts({ subscriptions: two, checkouts: [checkout(), bought] }))).to.deep.equal([
      { subscriptionId: 'sub_1', at: at(201) },
    ])
    const link = { ...bought, isFromLink: true }
    expect(standing({ subscriptions: two, checkouts: [checkout(), link] })).to.equal('pro active')
  })

  it('takes a plan that is paid rather than a higher one that is suspended', () => {
    const two = [subscription(), subscription({ id: 'sub_2', plan: 'teams' })]
    const suspended = new Set(['sub_2'])
    expect(standing({ subscriptions: two })).to.equal('teams active')
    expect(standing({ subscriptions: two, suspended })).to.equal('pro active')
    expect(standing({ subscriptions: two, suspended: new Set(['sub_1', 'sub_2']) })).to.equal('free suspended')
  })

  it('is at least what an administrator gave, but for a tenant that was deleted', () => {
    expect(standing({ grantedPlan: 'pro' })).to.equal('pro free')
    expect(standing({ grantedPlan: 'starter', subscriptions: [subscription()] })).to.equal('pro active')
    const suspended = new Set(['sub_1'])
    expect(standing({ grantedPlan: 'pro', subscriptions: [subscription()], suspended })).to.equal('pro suspended')
    expect(standing({ grantedPlan: 'pro', isDeleted: true })).to.equal('free free')
  })

  it('ends when it was cancelled, here or at the processor, unless that was taken back there', () => {
    const ends = (change: Partial<SubscriptionFacts>) => standing({ subscriptions: [subscription(change)] })
    const period = { currentPeriodEnd: at(9000) }
    expect(ends({ ...period })).to.equal('pro active')
    expect(ends({ ...period, isCancelAtPeriodEnd: true })).to.equal('free cancelled')
    expect(ends({ isCancelAtPeriodEnd: true })).to.equal('pro active')
    expect(ends({ endsAt: NOW })).to.equal('free cancelled')
    expect(ends({ endsAt: at(10_001) })).to.equal('pro active')
    const pushed = { endsAt: at(9000), endPushedAt: at(8000) }
    expect(ends({ ...pushed, eventCreated: 79_990 })).to.equal('free cancelled')
    expect(ends({ ...pushed, eventCreated: 80_011 })).to.equal('pro active')
    expect(ends({ ...pushed, ...period, eventCreated: 80_011, isCancelAtPeriodEnd: true })).to.equal('free cancelled')
    expect(ends({ ...period, isCancelAtPeriodEnd: true, resumeDueAt: at(8500) })).to.equal('pro active')
  })
})

describe('episodes of failed payments', () => {
  const invoice = (id: string, change: object = {}) => ({
    id,
    subscriptionId: 'sub_1',
    status: 'open',
    firstFailedAt: at(1000),
    lastFailedAt: at(1100),
    paidAt: null,
    eventCreated: 11_000,
    ...change,
  })
  const live = [{ id: 'sub_1', status: 'active', eventCreated: 5000 }]

  it('join invoices that fail at the same time, and keep others apart', () => {
    const paid = { status: 'paid', paidAt: at(2000) }
    const [one, ...none] = episodesOf([invoice('in_2', { firstFailedAt: at(1500) }), invoice('in_1', paid)], live)
    expect(none).to.deep.equal([])
    expect(one).to.deep.include({ invoiceId: 'in_1', invoiceIds: ['in_1', 'in_2'], resolvedAt: null })
    const apart = episodesOf([invoice('in_1', paid), invoice('in_2', { firstFailedAt: at(2001) })], live)
    expect(apart.map(({ resolvedAt }) => resolvedAt)).to.deep.equal([at(2000), null])
  })

  it('end with the subscription, and do not begin before it did', () => {
    const over = [{ id: 'sub_1', status: 'canceled', eventCreated: 30_000 }]
    expect(episodesOf([invoice('in_1')], over)[0]).to.deep.include({ resolvedAt: at(3000), isRecovered: false })
    expect(episodesOf([invoice('in_1', { status: 'void' })], live)[0]).to.include({ isRecovered: true })
    expect(episodesOf([invoice('in_1')], [{ id: 'sub_1', status: 'incomplete', eventCreated: 1 }])).to.deep.equal([])
    expect(episodesOf([invoice('in_1')], [])).to.deep.equal([])
  })

  it('have steps 3, 7 and 14 days after the first failure', () => {
    const days = stepTimes(at(0), DEFAULT_LIMITS).map((time) => time.getTime() / 86_400_000)
    expect(days).to.deep.equal([3, 7, 14])
  })
})

describe('the order of snapshots', () => {
  it('puts the beginning of a subscription before everything, and its end behind it', () => {
    const ranks = ['incomplete', 'active', 'past_due', 'canceled', 'incomplete_expired'].map(subscriptionRank)
    expect(ranks).to.deep.equal([0, 1, 1, 2, 2])
  })

  it('is a total one: final states, then versions, then ids', () => {
    const versions = [0, 1].flatMap((rank) =>
      [10, 20].flatMap((created) => ['a', 'b'].map((eventId) => ({ rank, version: { created, eventId } }))),
    )
    versions.forEach((one, i) => {
      versions.forEach((other, j) => expect(supersedes(one, other)).to.equal(i > j))
    })
  })
})

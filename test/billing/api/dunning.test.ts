import { expect } from 'chai'
import { takeDunningSteps } from '../../../db/billing/dunning/take-dunning-steps.ts'
import { openDunnings } from '../../../db/billing/account/find-account.ts'
import { limits } from '../../support/db/given.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { givenMember, setUpOperation } from '../../support/people/given-members.ts'
import { eventOf, invoiceObject } from '../../support/stripe/objects.ts'
import { fresh, givenPaying, type PayingTenant } from './given-paying.ts'
import { nowS, useBilling } from './use-billing.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const DAY = 86_400

describe('dunning', () => {
  const billing = useBilling()
  const { api, deliver } = billing

  it('reads again after an event of a failure before the others, and after no other', async () => {
    const tenant = await givenPaying(billing)
    const op = setUpOperation(api.server.services.db, tenant.id)
    const named = { customerId: tenant.customerId, subscriptionId: tenant.subscriptionId, tenantId: tenant.id }
    const unpaid = { status: 'open', amount_paid: 0 }
    const invoice = invoiceObject({ ...named, id: fresh('in'), created: nowS() - 9 * DAY, change: unpaid })
    const failed = async (at: number) => await deliver(eventOf(fresh('evt'), 'invoice.payment_failed', at, invoice))
    const standing = async () => {
      const [dunning] = await openDunnings(op)
      const [request] = await sendSql<{ version: number }>(op.db, 'select version from outbox where workflow_id = $1', [
        dunning?.id,
      ])
      return { at: (dunning?.nextStepAt?.getTime() ?? 0) / 1000, requests: request?.version }
    }
    const first = nowS() - DAY
    await failed(first)
    expect(await standing()).to.deep.equal({ at: first + 3 * DAY, requests: 1 })
    await failed(first + 60)
    expect(await standing()).to.deep.equal({ at: first + 3 * DAY, requests: 1 })
    await failed(first - DAY)
    expect(await standing()).to.deep.equal({ at: first + 2 * DAY, requests: 2 })
  })
})

describe('a plan that is suspended', () => {
  const billing = useBilling()
  const { api, deliver } = billing
  const viewOf = async ({ key }: PayingTenant) => (await api.call('GET', '/v1/account/billing', { key })).body
  /** A team whose payment failed long ago: all steps of dunning are due. */
  const givenSuspended = async () => {
    const tenant = await givenPaying(billing, 'teams')
    const op = setUpOperation(api.server.services.db, tenant.id)
    const members = [await givenMember(op, { role: 'member' }), await givenMember(op, { role: 'admin' })]
    const named = { customerId: tenant.customerId, subscriptionId: tenant.subscriptionId, tenantId: tenant.id }
    const invoice = { ...named, id: fresh('in'), created: nowS() - 20 * DAY }
    const failed = invoiceObject({ ...invoice, change: { status: 'open', amount_paid: 0 } })
    await deliver(eventOf(fresh('evt'), 'invoice.payment_failed', nowS() - 20 * DAY, failed))
    const [dunning] = await openDunnings(op)
    const taken = await takeDunningSteps(op, { dunningId: dunning?.id ?? '', limits: limits() })
    expect(taken).to.deep.equal({ state: 'suspended', nextStepAt: null })
    const activeMembers = async (): Promise<number> => {
      const rows = await sendSql(op.db, `select 1 from members where tenant_id = $1 and state = 'active'`, [tenant.id])
      return rows.length
    }
    const paid = eventOf(fresh('evt'), 'invoice.paid', nowS(), invoiceObject(invoice))
    return { tenant, op, members, paid, activeMembers }
  }

  it('has the free limits and keeps its people, who come back with the payment', async () => {
    const { tenant, activeMembers, paid } = await givenSuspended()
    const suspended = await viewOf(tenant)
    expect(suspended).to.include({ billing_status: 'suspended' })
    expect(suspended.plan).to.include({ id: 'free', quota: 10_000, seats: 1 })
    expect(await activeMembers()).to.equal(3)
    const more = await api.call('POST', `/v1/orgs/${tenant.id}/invites`, {
      key: tenant.key,
      body: { email: 'late@example.test', role: 'member' },
    })
    expect([more.status, more.body.code]).to.deep.equal([402, 'seat_limit'])
    await deliver(paid)
    expect(await viewOf(tenant)).to.deep.include({ billing_status: 'active', dunning: [] })
    expect((await viewOf(tenant)).plan).to.include({ id: 'teams', seats: 5 })
    expect(await activeMembers()).to.equal(3)
  })

  it('gives its seats up when the subscription ends unpaid', async () => {
    const { tenant, op, members, activeMembers } = await givenSuspended()
    await deliver(tenant.subscriptionEvent('customer.subscription.deleted', { status: 'canceled' }))
    expect(await viewOf(tenant)).to.include({ billing_status: 'cancelled' })
    expect(await activeMembers()).to.equal(1)
    for (const { id } of members) await expectAudited(op, 'member.deactivated', id)
  })
})

import { expect } from 'chai'
import { PLAN_IDS, PLANS, type PlanId } from '../../../core/kernel/tenant/plans.ts'
import { periodOf } from '../../../db/billing/quota/period.ts'
import { useBilling, nowS } from '../../billing/api/use-billing.ts'
import { givenApiTenant, type ApiTenant } from '../../support/api.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { checkoutObject, eventOf, subscriptionObject } from '../../support/stripe/objects.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const SPEC = {
  task: 'Write it in capitals',
  mode: 'async',
  examples: Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `IN ${i}` })),
}

describe('a tenant whose month is used up', () => {
  const { api, deliver } = useBilling()
  const use = async (tenant: ApiTenant, units: number): Promise<void> => {
    await sendSql(
      api.server.services.db,
      `insert into quota_periods (tenant_id, period, used_units) values ($1, $2, $3)
       on conflict (tenant_id, period) do update set used_units = excluded.used_units`,
      [tenant.id, periodOf(new Date()), units],
    )
  }
  const compile = async ({ key }: ApiTenant) => {
    const { status, body } = await api.call('POST', '/v1/compile', { key, body: SPEC })
    return `${status} ${body.code ?? 'accepted'}`
  }

  it('still runs its account: buys a plan, makes keys, takes its data along, cancels, signs in and out', async () => {
    const tenant = await givenApiTenant(api)
    await use(tenant, PLANS.free.quota)
    expect(await compile(tenant)).to.equal('402 quota_exhausted')
    for (const [method, path, body] of [
      ['POST', '/v1/signin', { api_key: tenant.key }],
      ['GET', '/v1/account', undefined],
      ['PUT', '/v1/account/settings', { locale: 'de-DE' }],
      ['POST', '/v1/account/scoped-keys', { scopes: ['account:read'] }],
      ['POST', '/v1/account/rotate-receipt-secret', undefined],
      ['GET', '/v1/account/export', undefined],
      ['GET', '/v1/account/audit-log', undefined],
      ['GET', '/v1/account/billing', undefined],
      ['POST', '/v1/billing/checkout', { plan: 'pro' }],
      ['POST', '/v1/account/change-plan', { plan: 'pro' }],
      ['POST', '/v1/account/cancel', undefined],
    ] as const) {
      const answer = await api.call(method, path, { key: tenant.key, body })
      expect(answer.status, `${path} ${answer.text.slice(0, 200)}`).to.equal(200)
    }
  })

  it('goes on at once when it buys a dearer plan', async () => {
    const tenant = await givenApiTenant(api)
    await use(tenant, PLANS.free.quota)
    expect(await compile(tenant)).to.equal('402 quota_exhausted')
    const created = nowS() - 60
    const ids = { tenantId: tenant.id, customerId: 'cus_wall', subscriptionId: 'sub_wall', created } as const
    const periodEnd = created + 30 * 86_400
    for (const event of [
      eventOf(
        'evt_wall_1',
        'checkout.session.completed',
        created,
        checkoutObject({ ...ids, id: 'cs_wall', plan: 'pro' }),
      ),
      eventOf(
        'evt_wall_2',
        'customer.subscription.updated',
        created + 1,
        subscriptionObject({ ...ids, id: ids.subscriptionId, plan: 'pro', periodEnd }),
      ),
    ]) {
      expect((await deliver(event)).status).to.equal(200)
    }
    expect(await compile(tenant)).to.equal('202 accepted')
  })

  it('meets the wall where its own plan has it, and no other', async () => {
    for (const plan of PLAN_IDS) {
      const tenant = await givenApiTenant(api)
      await givenPlan(api.server.services.db, tenant.id, plan)
      const lower: PlanId | undefined = PLAN_IDS[PLAN_IDS.indexOf(plan) - 1]
      if (lower !== undefined) {
        await use(tenant, PLANS[lower].quota)
        expect(await compile(tenant), `${plan}, where ${lower} ends`).to.equal('202 accepted')
      }
      await use(tenant, PLANS[plan].quota)
      expect(await compile(tenant), plan).to.equal('402 quota_exhausted')
    }
  })
})

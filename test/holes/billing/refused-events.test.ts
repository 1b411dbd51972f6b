import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { nowS, useBilling } from '../../billing/api/use-billing.ts'
import { ADMIN_KEY, givenApiTenant, NO_TEMPORAL, type ApiTenant } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { service } from '../../../db/kernel/queries/service.ts'
import { raw } from '../../../db/kernel/queries/typed.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { eventOf } from '../../support/stripe/objects.ts'
import { fresh } from '../../support/stripe/paying.ts'
import { purchaseOf } from '../../support/stripe/purchase.ts'

describe('a payment event that is refused', () => {
  const database = useDatabase()
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  // Two processes on one database: one as the operator set it up at first, one after the settings are mended.
  const wrongMode = useBilling({ stores, change: { secretKey: 'sk_live_x' } })
  const wrongPrices = useBilling({ stores, change: { prices: { starter: 'price_starter' } } })
  const mended = useBilling({ stores })
  const { api } = mended
  const admin = { 'x-admin-key': ADMIN_KEY }

  const planOf = async ({ key }: ApiTenant): Promise<string> =>
    (await api.call('GET', '/v1/account/billing', { key })).body.plan.id
  const retry = async () => await api.call('POST', '/v1/admin/billing/retry', { headers: admin, body: {} })
  const refused = async () => (await api.call('GET', '/v1/admin/diagnostics', { headers: admin })).body.payment_events
  const appliedTimes = async (tenant: ApiTenant, eventId: string): Promise<number> =>
    (await listAudit(setUpOperation(database.db, tenant.id), { limit: 200 })).items.filter(
      ({ action, target }) => action === 'billing.payment_event' && target === eventId,
    ).length

  it('has its effect, once, when it is delivered again after the mode is mended', async () => {
    const tenant = await givenApiTenant(api)
    const { completed } = purchaseOf(tenant.id)
    for (let delivery = 0; delivery < 2; delivery++) {
      expect((await wrongMode.deliver(completed)).body).to.include({ outcome: 'livemode_mismatch' })
    }
    expect(await planOf(tenant)).to.equal('free')
    expect((await mended.deliver(completed)).body).to.include({ outcome: 'applied', idempotent: false })
    expect(await planOf(tenant)).to.equal('pro')
    expect((await mended.deliver(completed)).body).to.include({ outcome: 'applied', idempotent: true })
    expect((await wrongMode.deliver(completed)).body).to.include({ outcome: 'applied', idempotent: true })
    expect(await appliedTimes(tenant, completed.id)).to.equal(1)
  })

  it('is shown to the operator with its reason, and with nothing that stands in it', async () => {
    const before = (await refused()).refused
    const { completed } = purchaseOf('ten_not_here')
    expect((await mended.deliver(completed)).body.outcome).to.equal('unknown_tenant')
    const shown = await refused()
    expect(shown.refused).to.equal(before + 1)
    expect(shown.latest[0]).to.include({
      event_id: completed.id,
      type: 'checkout.session.completed',
      reason: 'unknown_tenant',
      retryable: true,
    })
    expect(Object.keys(shown.latest[0])).to.have.members([
      'event_id',
      'type',
      'reason',
      'received_at',
      'refused_at',
      'retryable',
    ])
    expect((await retry()).body).to.include({ applied: 0, left: 0 })
    expect((await refused()).refused).to.equal(before + 1)
  })

  it('has its effect by one call of the operator, in order with what came later', async () => {
    const tenant = await givenApiTenant(api)
    const { completed, active, subscription, created } = purchaseOf(tenant.id)
    const ended = eventOf(
      fresh('evt'),
      'customer.subscription.deleted',
      created + 900,
      subscription({ status: 'canceled' }),
    )
    expect((await wrongMode.deliver(active)).body.outcome).to.equal('livemode_mismatch')
    expect((await wrongMode.deliver(completed)).body.outcome).to.equal('livemode_mismatch')
    // The end comes after the mending, before the retry.
    expect((await mended.deliver(ended)).body.outcome).to.equal('applied')
    const answers = await Promise.all([retry(), retry(), mended.deliver(completed)])
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    for (const event of [completed, active, ended]) expect(await appliedTimes(tenant, event.id)).to.equal(1)
    const account = (await api.call('GET', '/v1/account/billing', { key: tenant.key })).body
    expect([account.plan.id, account.billing_status]).to.deep.equal(['free', 'cancelled'])
  })

  it('gives the plan when its price was missing in the price table, by a delivery or by a retry', async () => {
    for (const again of ['delivery', 'retry']) {
      const tenant = await givenApiTenant(api)
      // A subscription that the operator made in Stripe, so that its price alone says the plan.
      const { active } = purchaseOf(tenant.id, {
        metadata: { svc_tenant_id: tenant.id },
        items: { data: [{ price: { id: 'price_seat' } }, { price: { id: 'price_pro' } }] },
      })
      expect((await wrongPrices.deliver(active)).body, again).to.include({ outcome: 'unknown_price' })
      expect(await planOf(tenant)).to.equal('free')
      expect((await refused()).latest[0]).to.include({ event_id: active.id, reason: 'unknown_price' })
      if (again === 'delivery') expect((await mended.deliver(active)).body).to.include({ outcome: 'applied' })
      else
        expect((await retry()).body.events).to.deep.include({
          event_id: active.id,
          type: active.type,
          outcome: 'applied',
        })
      expect(await planOf(tenant), again).to.equal('pro')
      expect(await appliedTimes(tenant, active.id)).to.equal(1)
    }
  })

  it('does not keep the others waiting when it cannot be judged', async () => {
    const change = async (statement: string, id: string) =>
      await service.send(database.db, 'a test', () => raw(statement, [id]))
    const [broken, tenant] = [await givenApiTenant(api), await givenApiTenant(api)]
    const [first, second] = [purchaseOf(broken.id).completed, purchaseOf(tenant.id).completed]
    for (const event of [first, second]) await wrongMode.deliver(event)
    await change(`update payment_events set snapshot = '{"kind": "subscription"}' where id = $1`, first.id)
    expect((await retry()).status).to.equal(500)
    expect(await planOf(tenant)).to.equal('pro')
    await change('delete from payment_events where id = $1', first.id)
  })

  it('is judged again by svc admin billing retry', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'))
    try {
      const tenant = await givenApiTenant(api)
      const { completed } = purchaseOf(tenant.id)
      await wrongMode.deliver(completed)
      const options = { folder, profileDir: folder, env: { SVC_URL: api.server.url, SVC_ADMIN_KEY: ADMIN_KEY } }
      const retried = await runCli(['admin', 'billing', 'retry'], options)
      expect(retried.code, retried.stderr).to.equal(0)
      expect(retried.stdout)
        .to.contain(completed.id)
        .and.to.match(/1 applied, \d+ still refused/)
      expect(await planOf(tenant)).to.equal('pro')
      const json = await runCli(['--json', 'admin', 'billing', 'retry'], options)
      expect(JSON.parse(json.stdout)).to.include({ applied: 0 })
      const denied = await runCli(['admin', 'billing', 'retry'], {
        ...options,
        env: { SVC_URL: api.server.url, SVC_API_KEY: tenant.key },
      })
      expect(denied.code).to.not.equal(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('waits for its tenant, also when it is a refund that names a payment alone', async () => {
    const tenant = await givenApiTenant(api)
    const created = nowS() - 100
    const payment = fresh('pi')
    const { invoiceObject, refundObject } = await import('../../support/stripe/objects.ts')
    const refund = {
      ...refundObject({ id: fresh('re'), customerId: 'cus_x', amount: 300, created }),
      customer: null,
      charge: null,
      payment_intent: payment,
      metadata: {},
    }
    const event = eventOf(fresh('evt'), 'refund.created', created, refund)
    expect((await mended.deliver(event)).body.outcome).to.equal('unknown_tenant')
    const { completed } = purchaseOf(tenant.id)
    await mended.deliver(completed)
    const { customer, subscription } = completed.data.object
    const invoice = invoiceObject({
      id: fresh('in'),
      customerId: String(customer),
      subscriptionId: String(subscription),
      tenantId: tenant.id,
      created,
      change: { payment_intent: payment },
    })
    await mended.deliver(eventOf(fresh('evt'), 'invoice.paid', created, invoice))
    expect((await mended.deliver(event)).body).to.include({ outcome: 'applied', idempotent: false })
    const { invoices } = (await api.call('GET', '/v1/account/invoices', { key: tenant.key })).body
    expect(invoices.filter(({ kind }: { kind: string }) => kind === 'refund')).to.have.length(1)
  })
})

import { expect } from 'chai'
import { ADMIN_KEY, givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { useService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { eventually } from '../../support/wire/eventually.ts'

interface SeenCheck {
  readonly name: string
  readonly ok: boolean
  readonly required: boolean
  readonly detail: string
}

describe('readiness of a service that is whole', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const deep = async () => await api.call('GET', '/ready/deep', { key: tenant.key })

  it('is reported by every probe alike', async () => {
    // A probe gives Temporal one second, which a busy machine may need for a queue.
    await eventually(async () => {
      const ready = await api.call('GET', '/ready')
      expect([ready.status, ready.body.status], ready.text).to.deep.equal([200, 'ready'])
      const { status, body, text } = await deep()
      expect([status, body.status, body.ok], text).to.deep.equal([200, 'ready', true])
    })
    const { body } = await deep()
    const failing = body.checks.filter(({ ok }: SeenCheck) => !ok)
    expect(failing.map(({ name }: SeenCheck) => name)).to.have.members(['frontier_key', 'mail', 'payments'])
    expect(failing.every(({ required }: SeenCheck) => !required)).to.equal(true)
    const detailOf = (name: string) => body.checks.find((check: SeenCheck) => check.name === name)?.detail
    for (const queue of ['worker_io', 'worker_compile']) expect(detailOf(queue)).to.match(/^last heard \d+ s ago$/)
    const ledger = await api.call('GET', '/product-readiness-closeout.json')
    expect(ledger.body.status).to.equal('ready')
    const snapshot = await api.call('GET', '/v1/health')
    expect(snapshot.body.readiness.status).to.equal('ready')
    expect(snapshot.body).to.include({ gateway: 'ok', capture_store: 'ok', signing_key: 'loaded' })
  })

  it('is what diagnostics tell of', async () => {
    const { body } = await api.call('GET', '/v1/admin/diagnostics', { headers: { 'x-admin-key': ADMIN_KEY } })
    expect(body.workflow_engine).to.deep.equal({ reachable: true })
    for (const { heard_s_ago: heard } of body.queues) expect(heard).to.be.at.least(0)
  })

  it('shows work that no worker takes, and stays ready', async () => {
    const { db } = service.database
    await sendSql(
      db,
      `insert into outbox (workflow_id, family, tenant_id, input, version, attempts, created_at, due_at)
       values ($1 || '/mail', 'mail', $1, '{}', 1, 0, now() - interval '10 minutes', now() + interval '1 hour')`,
      [tenant.id],
    )
    const { body } = await deep()
    const backlog = body.checks.find((check: SeenCheck) => check.name === 'backlog')
    expect(backlog).to.include({ ok: false, required: false })
    expect(backlog.detail).to.equal('0 jobs, 1 wake-ups and 0 ledger lines overdue')
    await eventually(async () => expect(await deep()).to.include({ status: 200 }))
    await sendSql(db, 'delete from outbox where tenant_id = $1', [tenant.id])
  })
})

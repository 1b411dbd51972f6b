import { expect } from 'chai'
import pg from 'pg'
import { call, givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { startApiProcess } from '../../support/stack/api-process.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { eventually } from '../../support/wire/eventually.ts'

const rows = Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))

describe('while Temporal is away', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('the API lives, and says what it lacks', async () => {
    const health = await api.call('GET', '/health')
    expect(health.body).to.include({ ok: true, status: 'ok', region: 'test', signing_key: 'loaded' })
    const ready = await api.call('GET', '/ready')
    expect([ready.status, ready.body.status]).to.deep.equal([503, 'not_ready'])
    const failing = ready.body.checks.filter((check: { ok: boolean; required: boolean }) => check.required && !check.ok)
    expect(failing.map((check: { name: string }) => check.name)).to.deep.equal(['workflow_engine'])
    const snapshot = await api.call('GET', '/v1/health')
    expect(snapshot.body.backends).to.include({ store: true, workflow_engine: false })
  })

  it('compiles are accepted, wait, and can be cancelled', async () => {
    const tenant = await givenApiTenant(api)
    const accepted = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Write it in capitals', examples: rows, mode: 'async' },
    })
    expect(accepted.status).to.equal(202)
    const path = `/v1/compile/${accepted.body.job_id}`
    expect((await api.call('GET', path, { key: tenant.key })).body.status).to.equal('queued')
    const cancelled = await api.call('POST', `${path}/cancel`, { key: tenant.key })
    expect([cancelled.status, cancelled.body.status]).to.deep.equal([200, 'cancelled'])
    expect((await api.call('GET', '/v1/account', { key: tenant.key })).body.period.used).to.equal(0)
  })

  it('the process starts, and ends with 0 on SIGTERM', async () => {
    const started = await startApiProcess({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: NO_TEMPORAL.address,
      SVC_MASTER_KEY: database.masterKey.toString('hex'),
    })
    expect((await call(started.url, 'GET', '/health')).status).to.equal(200)
    expect(await started.stop()).to.equal(0)
  })
})

describe('while Postgres does not answer', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('the process is alive all the same, and says what is not', async () => {
    const health = async () => {
      const { status, body } = await api.call('GET', '/health')
      return { status, store: body.capture_store, tenants: body.stats.tenants }
    }
    await givenApiTenant(api)
    await eventually(async () => expect(await health()).to.include({ status: 200, store: 'ok', tenants: 1 }))
    const blocker = new pg.Client({ connectionString: database.url })
    await blocker.connect()
    try {
      await blocker.query('begin')
      await blocker.query('lock table tenants in access exclusive mode')
      // The counts are read again after a few seconds.
      await eventually(async () => expect(await health()).to.include({ store: 'unavailable' }))
      for (let asked = 0; asked < 3; asked++) {
        // The lock is held until after the answer, so the answer did not wait for it.
        expect(await health()).to.deep.equal({ status: 200, store: 'unavailable', tenants: 1 })
      }
      const waiting = await blocker.query(
        `select 1 from pg_stat_activity where query like '%as "syntheses"%' and state = 'active' and pid <> pg_backend_pid()`,
      )
      expect(waiting.rows).to.have.length(1)
      await blocker.query('rollback')
    } finally {
      await blocker.end()
    }
    await eventually(async () => expect(await health()).to.include({ store: 'ok' }))
  })
})

describe('while Postgres is away', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('the metrics page answers without the counts of jobs, and says why', async () => {
    const metrics = async () => (await api.call('GET', '/metrics')).text
    const isUp = async () =>
      expect(await metrics())
        .to.contain('svc_store_up 1')
        .and.contain('svc_compile_queue_depth{state="waiting"} 0')
    await eventually(isUp)
    const url = new URL(database.url)
    const name = url.pathname.slice(1)
    url.pathname = '/postgres'
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      await client.query(`alter database ${name} with allow_connections false`)
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
      const page = await metrics()
      expect(page).to.contain('svc_store_up 0').and.contain('svc_http_requests_total{').and.contain('memory_bytes')
      expect(page).to.not.contain('svc_compile_queue_depth{')
    } finally {
      await client.query(`alter database ${name} with allow_connections true`)
      await client.end()
    }
    await eventually(isUp)
  })
})

import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import {
  ADMIN_KEY,
  call,
  givenApiTenant,
  NO_TEMPORAL,
  serverOptions,
  useApi,
  type ApiTenant,
} from '../../support/api.ts'
import { startServer } from '../../../api/server.ts'
import { parseExposition } from '../../support/wire/exposition.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { CHARGED_TO_NOBODY } from '../../../db/billing/usage/charged-to.ts'
import { recordUsageOfAll } from '../../../db/billing/across/record-calls.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('probes and metrics', () => {
  const database = useDatabase()
  const admins = new Set<string>()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    settings: { metricsToken: 'scraper-token', adminTenants: admins },
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  it('/ready/deep says of every part what came of using it, and of nothing where it lies', async () => {
    expect((await api.call('GET', '/ready/deep')).status).to.equal(401)
    const { status, body, text } = await api.call('GET', '/ready/deep', { key: tenant.key })
    // No Temporal listens in this suite, and no worker.
    expect([status, body.status, body.ok]).to.deep.equal([503, 'not_ready', false])
    const checks = new Map<string, { ok: boolean; required: boolean; detail: string; latency_ms: number }>(
      body.checks.map((check: { name: string }) => [check.name, check]),
    )
    for (const name of ['store', 'migrations', 'signing_key', 'backlog', 'disk', 'gateway']) {
      expect(checks.get(name), name).to.include({ ok: true })
    }
    expect(checks.get('workflow_engine')).to.include({ ok: false, required: true })
    expect(checks.get('worker_io')).to.include({ ok: false, required: true })
    expect(checks.get('mail')).to.include({ ok: false, required: false, detail: 'not configured' })
    expect(checks.get('payments')).to.include({ ok: false, required: false })
    for (const check of checks.values()) expect(check.latency_ms).to.be.at.least(0)
    expect(text)
      .not.to.match(/127\.0\.0\.1|postgres:|\/tmp|ECONN/)
      .and.not.contain(process.cwd())
  })

  it('/ready/deep needs the scope metrics:read', async () => {
    const minted = await api.call('POST', '/v1/account/scoped-keys', {
      key: tenant.key,
      body: { label: 'reader', scopes: ['capture:read'] },
    })
    for (const path of ['/ready/deep', '/metrics/extended']) {
      const refused = await api.call('GET', path, { key: minted.body.api_key })
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope'])
    }
  })

  it('/metrics opens to the configured bearer only, and says so in one form', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic c2NyYXBlci10b2tlbg==' },
      { authorization: 'Bearer scraper-token2' },
    ]) {
      const refused = await api.call('GET', '/metrics', { headers })
      expect([refused.status, refused.body.code], JSON.stringify(headers)).to.deep.equal([
        401,
        'invalid_metrics_bearer',
      ])
    }
    const page = await api.call('GET', '/metrics', { headers: { authorization: 'Bearer scraper-token' } })
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-type')).to.contain('text/plain')
    expect(page.text).to.contain('svc_http_requests_total').and.not.contain(tenant.id)
  })

  it('/metrics/extended counts for a tenant what is its own, and everything for the operator', async () => {
    const other = await givenApiTenant(api)
    const day = new Date().toISOString().slice(0, 10)
    for (const [tenantId, quantity] of [
      [tenant.id, 3],
      [other.id, 39],
    ] as const) {
      const row = { tenantId, day, unit: 'gateway_calls', quantity, costUsdMicros: 0, latencySumUs: 0 } as const
      await recordUsageOfAll(database.db, [{ ...row, ...CHARGED_TO_NOBODY }])
    }
    const read = async (key = tenant.key) => {
      const page = await api.call('GET', '/metrics/extended', { key })
      expect(page.headers.get('content-type')).to.contain('text/plain')
      return page.text
    }
    const own = await read()
    expect(own).to.contain('svc_usage_units_total{unit="gateway_calls"} 3\n')
    expect(own).to.contain('svc_inferences_total{status="ok"} 0\n')
    expect(own).to.contain('svc_latency_seconds_bucket{le="+Inf"} 0\n')
    expect(own).not.to.contain('queue_depth').and.not.contain(tenant.id)
    expect(parseExposition(own).value('svc_latency_seconds_count')).to.equal(0)
    admins.add(tenant.id)
    try {
      const all = await read()
      expect(all)
        .to.contain('svc_usage_units_total{unit="gateway_calls"} 42\n')
        .and.contain('svc_inference_queue_depth 0')
      // A key of the same tenant that may read figures is no administrator.
      const { key: reader } = await givenKey(database.db, { tenantId: tenant.id, scopes: ['metrics:read'] })
      expect(await read(reader)).to.contain('svc_usage_units_total{unit="gateway_calls"} 3\n')
    } finally {
      admins.delete(tenant.id)
    }
  })

  it('/metrics/extended never falls, whatever becomes of what was counted', async () => {
    const gone = await givenApiTenant(api)
    const { conceptId, versionId } = await givenProgramVersion(setUpOperation(database.db, gone.id))
    const { invocations } = api.server.services
    const call = { tenantId: gone.id, conceptId, versionId, isFailed: false, isCacheHit: false }
    const charge = { units: 1, to: CHARGED_TO_NOBODY }
    for (const latencyUs of [900, 3000, 70_000]) invocations.record({ ...call, latencyUs, charge })
    invocations.record({ ...call, latencyUs: 10, isCacheHit: true })
    invocations.record({ ...call, latencyUs: 10, isFailed: true })
    await invocations.flush()
    const read = async () => parseExposition((await api.call('GET', '/metrics/extended', { key: gone.key })).text)
    const before = await read()
    expect(before.value('svc_inferences_total', { status: 'ok' })).to.equal(4)
    expect(before.value('svc_inferences_total', { status: 'failed' })).to.equal(1)
    expect(before.value('svc_inference_cache_hits_total')).to.equal(1)
    expect(before.value('svc_latency_seconds_count')).to.equal(4)
    expect(before.value('svc_latency_seconds_bucket', { le: '0.005' })).to.equal(3)
    await sendSql(database.db, 'delete from invocation_stats where tenant_id = $1', [gone.id])
    await sendSql(database.db, 'delete from usage_days where tenant_id = $1', [gone.id])
    const after = await read()
    expect(after.value('svc_inferences_total', { status: 'ok' })).to.equal(4)
    expect(after.value('svc_latency_seconds_count')).to.equal(4)
    expect(after.value('svc_usage_units_total', { unit: 'gateway_calls' })).to.equal(3)
    invocations.record({ ...call, latencyUs: 900, charge })
    await invocations.flush()
    expect((await read()).value('svc_inferences_total', { status: 'ok' })).to.equal(5)
  })

  it('the gateway probe tells of the module', async () => {
    const { status, body } = await api.call('GET', '/v1/gateway/health')
    expect(status).to.equal(200)
    expect(body).to.include({ ok: true, gateway: 'ready', module_loaded: true, provider_configured: false })
    expect(body.dialects).to.include('messages')
    expect((await api.call('GET', '/health')).body.gateway).to.equal('ok')
  })

  it('the product ledger is made of the routes that are mounted and of what is configured', async () => {
    const { status, body } = await api.call('GET', '/product-readiness-closeout.json')
    expect(status).to.equal(200)
    expect(body.routes_total).to.equal(ROUTES.length)
    const listed = body.groups.flatMap((group: { routes: { method: string; path: string }[] }) =>
      group.routes.map(({ method, path }) => `${method} ${path}`),
    )
    expect(listed.toSorted()).to.deep.equal(
      ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
    )
    const configured = new Map(
      body.integrations.map((one: { name: string; configured: boolean }) => [one.name, one.configured]),
    )
    expect(configured.get('metrics_gate')).to.equal(true)
    expect(configured.get('mail')).to.equal(false)
    expect(body.checks.find((check: { name: string }) => check.name === 'store').ok).to.equal(true)
    expect(body.status).to.equal('not_ready')
  })

  it('nothing of what is public tells a secret, an address or a path', async () => {
    const { settings } = api.server.services
    for (const path of ['/health', '/v1/health', '/ready', '/v1/gateway/health', '/product-readiness-closeout.json']) {
      const { text } = await api.call('GET', path)
      for (const secret of ['scraper-token', ADMIN_KEY, settings.masterKey.toString('hex'), tenant.id, tenant.key]) {
        expect(text, path).not.to.contain(secret)
      }
      expect(text, path)
        .not.to.match(/127\.0\.0\.1|postgres(ql)?:|ECONN|"[^"]*\/(tmp|home|usr|var|root|etc)\//)
        .and.not.contain(process.cwd())
    }
  })

  it('the checks follow the configuration', async () => {
    const stores = { database, temporal: NO_TEMPORAL }
    const server = await startServer(serverOptions({ settings: { isMailConfigured: true } }, stores))
    try {
      const { body } = await call(server.url, 'GET', '/ready/deep', { key: tenant.key })
      expect(body.checks.find((check: { name: string }) => check.name === 'mail')).to.include({ ok: true })
    } finally {
      await server.stop()
    }
  })
})

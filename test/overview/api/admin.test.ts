import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { MIGRATIONS } from '../../../db/migrations/index.ts'
import { OPERATOR_TENANT_ID, type Operation } from '../../../db/kernel/operation.ts'
import { ADMIN_KEY, givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'

describe('the routes of administrators', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), limits: { waitlist_per_ip_hour: 1000 } })
  let tenant: ApiTenant
  let operator: Operation
  before(async () => {
    tenant = await givenApiTenant(api)
    operator = setUpOperation(database.db, OPERATOR_TENANT_ID)
  })

  const get = async (path: string) => await api.call('GET', path, { headers: { 'x-admin-key': ADMIN_KEY } })
  const post = async (path: string, body: object) =>
    await api.call('POST', path, { body, headers: { authorization: `Bearer ${ADMIN_KEY}` } })
  const anyName = () => `made-${randomBytes(6).toString('hex')}`

  it('creates a tenant with a quota of its own, whose key is shown once', async () => {
    const name = anyName()
    const email = `${name}@Example.test`
    const made = await post('/v1/admin/tenant', { name, email, quota: 5000 })
    expect(made.status, made.text).to.equal(201)
    expect(made.body.tenant).to.include({ name, email: email.toLowerCase(), plan: 'free', quota: 5000 })
    const own = await api.call('GET', '/v1/account', { key: made.body.api_key })
    expect([own.status, own.body.id, own.body.name, own.body.quota]).to.deep.equal([
      200,
      made.body.tenant.id,
      name,
      5000,
    ])
    const line = await expectAudited(setUpOperation(database.db, made.body.tenant.id), 'tenant.created')
    expect(line.actor).to.match(/^admin:/)
    const act = await expectAudited(operator, 'admin.action')
    expect(act.payload).to.deep.equal({ route: 'adminCreateTenant', params: {}, query: {} })

    const list = await get(`/v1/admin/tenants?q=${encodeURIComponent(name)}`)
    expect(list.body.tenants).to.have.length(1)
    expect(list.body.tenants[0]).to.include({
      id: made.body.tenant.id,
      quota: 5000,
      used: 0,
      remaining: 5000,
      seats: 1,
    })
    expect(made.body.api_key.startsWith(`${list.body.tenants[0].api_key_prefix}_`)).to.equal(true)
    expect(list.text).not.to.contain(made.body.api_key.split('_')[2])
  })

  it('a name or an address that is taken answers 409 and gives nothing of its owner away', async () => {
    const name = anyName()
    const first = await post('/v1/admin/tenant', { name, email: `${name}@example.test`, quota: 1 })
    const sameName = await post('/v1/admin/tenant', { name: name.toUpperCase() })
    expect([sameName.status, sameName.body.code]).to.deep.equal([409, 'duplicate'])
    const sameAddress = await post('/v1/admin/tenant', { name: anyName(), email: `${name}@EXAMPLE.test` })
    expect([sameAddress.status, sameAddress.body.code]).to.deep.equal([409, 'duplicate'])
    expect(sameName.text + sameAddress.text).not.to.contain(first.body.tenant.id)
    const many = await Promise.all(
      Array.from({ length: 6 }, async () => post('/v1/admin/tenant', { name: `${name}-x` })),
    )
    expect(many.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([201, 409, 409, 409, 409, 409])
  })

  it('refuses an order without a name or with a quota that is none', async () => {
    for (const body of [
      {},
      { name: '' },
      { name: '!?' },
      { name: 'x', quota: 'many' },
      { name: 'x', quota: -1 },
      { name: 'x', email: 'no' },
    ]) {
      expect((await post('/v1/admin/tenant', body)).status, JSON.stringify(body)).to.equal(400)
    }
  })

  it('searches tenants by the text as it is written, page by page, and counts them all', async () => {
    const stem = `find${randomBytes(4).toString('hex')}`
    for (const name of [`${stem}-a`, `${stem}-b`, `${stem}-c`]) await post('/v1/admin/tenant', { name })
    const seen: string[] = []
    for (let cursor = ''; ;) {
      const page = await get(`/v1/admin/tenants?q=${stem}&limit=2${cursor}`)
      expect(page.body.total).to.equal(3)
      seen.push(...page.body.tenants.map((one: { name: string }) => one.name))
      if (page.body.next_cursor === null) break
      cursor = `&cursor=${page.body.next_cursor}`
    }
    expect(seen).to.deep.equal([`${stem}-c`, `${stem}-b`, `${stem}-a`])
    // Neither a pattern's letters nor the operator's own ledger are found.
    expect((await get(`/v1/admin/tenants?q=${encodeURIComponent('%')}`)).body.total).to.equal(0)
    expect((await get('/v1/admin/tenants?q=operator')).body.tenants).to.deep.equal([])
    expect((await get(`/v1/admin/tenants?q=${tenant.id}`)).body.tenants[0].id).to.equal(tenant.id)
  })

  it('counts over all tenants', async () => {
    const before = await get('/v1/admin/stats')
    expect(before.status, before.text).to.equal(200)
    const more = await givenApiTenant(api)
    await givenProgramArtifact(setUpOperation(database.db, more.id))
    const { body } = await get('/v1/admin/stats')
    expect(body.tenants.total).to.equal(before.body.tenants.total + 1)
    expect(body.tenants.signups_24h).to.equal(before.body.tenants.signups_24h + 1)
    expect(body.tenants.plan_dist.free).to.equal(before.body.tenants.plan_dist.free + 1)
    expect(body.usage.total_quota).to.equal(before.body.usage.total_quota + 10_000)
    expect(body.compile.total).to.equal(before.body.compile.total + 1)
    expect(body.compile.by_status.ready).to.equal((before.body.compile.by_status.ready ?? 0) + 1)
    expect(body.audit.total).to.be.greaterThan(before.body.audit.total)
  })

  it('shows the ledgers and the jobs of all tenants, newest first', async () => {
    const more = await givenApiTenant(api)
    const artifact = await givenProgramArtifact(setUpOperation(database.db, more.id))
    const jobs = await get('/v1/admin/compile-jobs?limit=1')
    expect(jobs.body.jobs[0]).to.include({ id: artifact, status: 'ready' })
    expect(jobs.body.jobs[0].k_score).to.be.a('number')
    expect(jobs.body.jobs[0].tenant.id).to.equal(more.id)
    expect(jobs.body.next_cursor).to.be.a('string')
    const audit = await get(`/v1/admin/audit?tenant_id=${more.id}`)
    const ops = audit.body.events.map((event: { op: string }) => event.op)
    expect(ops).to.include('tenant.created').and.include('compile.completed')
    expect(audit.body.total).to.equal(ops.length)
    const made = audit.body.events.find((event: { op: string }) => event.op === 'tenant.created')
    expect(made.by.kind).to.equal('person')
    expect(made.sentence.toLowerCase()).to.equal(`${made.by.member.email} created the account`)
    const first = await get(`/v1/admin/audit?tenant_id=${more.id}&limit=1`)
    const second = await get(`/v1/admin/audit?tenant_id=${more.id}&limit=1&cursor=${first.body.next_cursor}`)
    expect(second.body.events[0].seq).to.be.lessThan(first.body.events[0].seq)
    const own = await get(`/v1/admin/audit?tenant_id=${OPERATOR_TENANT_ID}&op=admin.action&limit=1`)
    expect(own.body.events[0].payload.route).to.match(/^admin/)
    expect(own.body.events[0].sentence).to.equal('Operator, with the admin key, called an admin route')
  })

  it('diagnostics tell no secret and no path', async () => {
    const { settings } = api.server.services
    for (const path of ['/v1/admin/diagnostics', '/v1/admin/health']) {
      const { status, text } = await get(path)
      expect(status, text).to.equal(200)
      expect(text).not.to.contain(ADMIN_KEY)
      expect(text)
        .not.to.contain(settings.masterKey.toString('hex'))
        .and.not.contain(settings.masterKey.toString('base64'))
      expect(text)
        .not.to.match(/"[^"]*\/(tmp|home|usr|var|root|etc)\//)
        .and.not.contain(process.cwd())
      expect(text).not.to.match(/postgres(ql)?:\/\/|127\.0\.0\.1|password/i)
    }
    const { body } = await get('/v1/admin/diagnostics')
    expect(body.migrations).to.deep.equal({ applied: MIGRATIONS.map(({ name }) => name), missing: [] })
    expect(body.versions.postgres).to.match(/^\d+/)
    expect(body.workflow_engine).to.deep.equal({ reachable: false })
    expect(body.queues).to.deep.equal([
      { name: 'io', heard_s_ago: null },
      { name: 'compile', heard_s_ago: null },
    ])
    expect(body.env).to.include({ admin_key_configured: true, mail_configured: false, production: false })
    expect(body.store.database_bytes).to.be.greaterThan(0)
    expect(body.sealed_under_old_key).to.equal(0)
  })

  it('control files are computed from what runs', async () => {
    const { body } = await get('/v1/admin/control-files')
    const keys = body.files.map((file: { key: string }) => file.key)
    expect(keys).to.deep.equal(['routes', 'migrations', 'signing-keys', 'prices', 'limits'])
    for (const { key, size_bytes: size, row_count: rows } of body.files) {
      const { body: file } = await get(`/v1/admin/control-files/${key}`)
      expect(Buffer.byteLength(JSON.stringify(file.rows)), key).to.equal(size)
      expect(file.rows, key).to.have.length(rows)
    }
    const routes = await get('/v1/admin/control-files/routes')
    expect(routes.body.rows).to.have.length(ROUTES.length)
    const unknown = await get('/v1/admin/control-files/__proto__')
    expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'unknown_control_file'])
  })

  it('lists the waitlist and the submissions; one address waits once, and the answer does not reveal it', async () => {
    const email = `${randomBytes(6).toString('hex')}@example.test`
    const wait = async (address: string) => await api.call('POST', '/v1/waitlist', { body: { email: address } })
    const answers = [await wait(email), await wait(email.toUpperCase())]
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202])
    const waitlist = await get('/v1/admin/waitlist')
    expect(waitlist.body.waitlist.filter((row: { email: string }) => row.email === email)).to.have.length(1)
    const note = { email, name: 'Ada', note: 'When will it speak Latin?' }
    expect((await api.call('POST', '/v1/submissions', { body: note })).status).to.equal(202)
    const submissions = await get('/v1/admin/submissions')
    expect(submissions.body.submissions[0]).to.include(note)
    expect(submissions.body.total).to.equal(1)
  })

  it('every call of an admin route stands in the ledger of those who run the service', async () => {
    const reads = ROUTES.filter(({ auth, method, params }) => auth === 'admin' && method === 'get' && !params)
    expect(reads).to.have.length.greaterThan(7)
    for (const { path } of reads) expect((await get(path)).status, path).to.equal(200)
    const ledger = await get(`/v1/admin/audit?tenant_id=${OPERATOR_TENANT_ID}&op=admin.action&limit=100`)
    const seen = new Set(ledger.body.events.map((event: { payload: { route: string } }) => event.payload.route))
    for (const { operationId } of reads) expect(seen.has(operationId), operationId).to.equal(true)
    const [last] = ledger.body.events
    expect(last.payload).to.deep.equal({
      route: 'adminListAudit',
      params: {},
      query: { tenant_id: OPERATOR_TENANT_ID, op: 'admin.action', limit: '100' },
    })
  })

  it('lists errors of browsers, redacted, equal ones once a day; the report needs no credential', async () => {
    const name = `err${randomBytes(4).toString('hex')}`
    const report = {
      message: `TypeError: ${name} is undefined for ada@example.com`,
      source: 'https://svc.example/console/main.js?key=ks_secret',
      lineno: 12,
      colno: 3,
      stack: 'at f (a.js:1:2)\nat g\nat h\nat i',
      path: '/r/tok_0123456789abcdefgh',
      ua: 'Mozilla/5.0 Gecko/20100101 Firefox/145.0',
    }
    for (let i = 0; i < 2; i++) {
      const { status, text } = await api.call('POST', '/v1/client-error', { body: report })
      expect(status, text).to.equal(202)
    }
    expect((await api.call('POST', '/v1/client-error', { body: {} })).status).to.equal(400)
    expect((await api.call('POST', '/v1/client-error', { body: { message: ' ' } })).status).to.equal(400)
    const { body, text } = await get('/v1/admin/client-errors')
    const [found, ...others] = body.errors.filter(({ message }: { message: string }) => message.includes(name))
    expect(others).to.have.length(0)
    expect(found).to.deep.include({ reports: 2, lineno: 12, colno: 3, browser: 'Firefox 145', path: '/r/…' })
    expect(found.source).to.equal('https://svc.example/console/main.js')
    expect(text).not.to.match(/ada@example|ks_secret|tok_0123/)
    expect((await api.call('GET', '/v1/admin/client-errors')).status).to.equal(401)
  })

  it('the changelog is public, by release and subject', async () => {
    const { status, body, text } = await api.call('GET', '/v1/changelog?limit=2&tag=gateway')
    expect(status, text).to.equal(200)
    expect(body.waves).to.have.length(2)
    expect(body.latest).to.equal(body.waves[0].wave)
    expect(body.waves[0].changes.length).to.be.greaterThan(0)
    for (const { tags } of body.waves) expect(tags).to.include('gateway')
    expect((await api.call('GET', '/v1/changelog?since=soon')).status).to.equal(400)
  })
})

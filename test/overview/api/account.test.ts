import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenJob, givenReady } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('account', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  async function given() {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    return {
      tenant,
      op,
      get: async (path: string) => await api.call('GET', path, { key: tenant.key }),
      send: async (method: 'PUT' | 'POST', path: string, body: unknown) =>
        await api.call(method, path, { key: tenant.key, body }),
    }
  }

  /** Events as a source would have handed them in, so many days ago. */
  async function givenCaptures(tenantId: string, count: number, daysAgo = 0, result = 'clean', namespace = 'support') {
    const at = new Date(Date.now() - daysAgo * 86_400_000)
    await sendSql(
      database.db,
      `insert into control_events (id, tenant_id, source_id, namespace, envelope, content, receipt, at)
       select $1 || i, $2, 'source', $6, json_build_object('redaction_result', $5::text), '{}', '{}', $3
       from generate_series(1, $4::int) i`,
      [`evt_${randomBytes(6).toString('hex')}`, tenantId, at, count, result, namespace],
    )
  }

  it('shows the own tenant with quota, seats and the fields of its invoices', async () => {
    const { tenant, get } = await given()
    const fresh = (await get('/v1/account')).body
    expect(fresh).to.include({
      id: tenant.id,
      plan: 'free',
      quota: 10_000,
      seats: 1,
      seats_used: 1,
      email_verified: false,
      vat_number: null,
      billing_status: 'free',
    })
    await sendSql(database.db, 'update tenants set quota_override = 77 where id = $1', [tenant.id])
    const body = (await get('/v1/account')).body
    expect([body.quota, body.period.remaining]).to.deep.equal([77, 77])
  })

  describe('settings', () => {
    it('are the defaults, then what was chosen; the ledger keeps both values', async () => {
      const { tenant, op, get, send } = await given()
      const before = (await get('/v1/account/settings')).body
      expect(before.settings).to.deep.equal(before.defaults)
      const changed = await send('PUT', '/v1/account/settings', {
        default_namespace: 'support',
        timezone: 'UTC',
        key_rotation_warning_days: 60,
        tenant_id: 'ten_other',
        nonsense: true,
      })
      expect(changed.status).to.equal(200)
      expect(changed.body.updated_fields).to.have.members(['default_namespace', 'key_rotation_warning_days'])
      expect((await get('/v1/account/settings')).body.settings).to.deep.equal({
        ...before.defaults,
        default_namespace: 'support',
        key_rotation_warning_days: 60,
      })
      const line = await expectAudited(op, 'settings.updated', tenant.id)
      expect(line.payload).to.deep.equal({
        changes: {
          default_namespace: { from: 'default', to: 'support' },
          key_rotation_warning_days: { from: 90, to: 60 },
        },
      })
    })

    it('name the namespace of events that name none', async () => {
      const { get, send } = await given()
      const event = { payload: { text: 'hello' } }
      expect((await send('POST', '/v1/account/api-control-center/events', event)).status).to.equal(201)
      await send('PUT', '/v1/account/settings', { default_namespace: 'support' })
      for (const body of [event, { ...event, namespace: 'sales' }]) {
        expect((await send('POST', '/v1/account/api-control-center/events', body)).status).to.equal(201)
      }
      const { namespaces } = (await get('/v1/account/state')).body
      expect(namespaces).to.deep.equal({ default: 1, support: 1, sales: 1 })
    })

    it('refuse what is no value, naming each field, and change nothing', async () => {
      const { get, send } = await given()
      const refused = await send('PUT', '/v1/account/settings', {
        key_rotation_warning_days: 'soon',
        timezone: { a: 1 },
        locale: 'de-DE',
      })
      expect([refused.status, refused.body.code]).to.deep.equal([400, 'invalid_value'])
      const fields = refused.body.details.fields.map(({ field }: { field: string }) => field)
      expect(fields).to.have.members(['key_rotation_warning_days', 'timezone'])
      expect((await get('/v1/account/settings')).body.settings.locale).to.equal('en-US')
    })
  })

  it('tells in its state what stands out', async () => {
    const { tenant, op, get } = await given()
    const kinds = async () => (await get('/v1/account/state')).body.signals.map(({ kind }: { kind: string }) => kind)
    expect(await kinds()).to.deep.equal(['compile_first', 'route_first'])
    await givenReady(op, (await givenJob(op)).job.id)
    await givenCaptures(tenant.id, 120)
    expect(await kinds()).to.deep.equal(['namespace_almost_ready'])
    await givenCaptures(tenant.id, 900)
    await sendSql(database.db, `update artifacts set signed_at = now() - interval '4 days' where tenant_id = $1`, [
      tenant.id,
    ])
    await sendSql(database.db, `update api_keys set created_at = now() - interval '91 days' where tenant_id = $1`, [
      tenant.id,
    ])
    expect(await kinds()).to.deep.equal(['compile_stale', 'seed_training', 'namespace_ready', 'rotate_key'])
    const { body } = await get('/v1/account/state')
    expect(body).to.deep.include({
      tenant_id: tenant.id,
      counts: { artifacts: 1, captures: 1020, namespaces: 1 },
      namespaces: { support: 1020 },
      last_artifact_age_days: 4,
      key_age_days: 91,
    })
  })

  it('proposes what to do next out of its own rows, and is silent about what was snoozed', async () => {
    const { tenant, op, get, send } = await given()
    const { tenant: other } = await given()
    await givenCaptures(other.id, 200)
    const proposed = async () =>
      (await get('/v1/account/next-actions?limit=50')).body.actions.map(
        (action: { dismiss_key: string }) => action.dismiss_key,
      )
    expect(await proposed()).to.deep.equal(['compile:first'])
    await givenCaptures(tenant.id, 150, 20)
    await givenCaptures(tenant.id, 1, 20, 'redacted:email')
    expect(await proposed()).to.deep.equal(['readiness:support', 'idle:global', 'security:pii', 'compile:first'])
    await givenReady(op, (await givenJob(op)).job.id)
    await sendSql(
      database.db,
      `insert into invocation_stats (version_id, hour, tenant_id, concept_id, calls, cache_hits, failures,
         latency_sum_us, buckets, last_at)
       select version_id, date_trunc('hour', now()), tenant_id, concept_id, 100, 0, 40, 0, '{}', now()
       from artifacts where tenant_id = $1`,
      [tenant.id],
    )
    const [first, , , last] = (await get('/v1/account/next-actions')).body.actions
    expect(first).to.deep.include({ type: 'readiness', priority: 1, params: { namespace: 'support', captures: 151 } })
    expect(last).to.deep.include({ type: 'fallbacks', priority: 7 })

    const snoozed = await send('POST', '/v1/account/next-actions/snooze', { dismiss_key: 'readiness:support', days: 7 })
    expect(snoozed.body.snooze).to.include({ tenant: tenant.id, dismiss_key: 'readiness:support' })
    expect(await proposed()).to.not.include('readiness:support')
    await expectAudited(op, 'next_action.snoozed', tenant.id)
    await send('POST', '/v1/account/next-actions/snooze', { dismiss_key: 'idle:global' })
    const left = await proposed()
    expect(left.slice(0, 2)).to.deep.equal(['security:pii', left[1]])
    await sendSql(database.db, `update snoozes set until = now() - interval '1 second' where tenant_id = $1`, [
      tenant.id,
    ])
    expect(await proposed()).to.include('readiness:support')
    for (const body of [{}, { dismiss_key: 'a', days: 'soon' }, { dismiss_key: 'a', days: 366 }]) {
      expect((await send('POST', '/v1/account/next-actions/snooze', body)).status).to.equal(400)
    }
  })

  it('gives an overview of its compiler, with the routes that there are', async () => {
    const { tenant, op, get } = await given()
    expect((await get('/v1/account/compiler-overview')).body.empty_state).to.equal('nothing_compiled')
    const { job } = await givenJob(op, { task: 'Grüße' })
    await givenReady(op, job.id)
    const { body } = await get('/v1/account/compiler-overview')
    expect(body.tenant).to.include({ id: tenant.id, plan: 'free', quota: 10_000 })
    expect(body.counts).to.include({ compile_jobs: 1, artifacts: 1, specialists: 1, observed_captures: 0 })
    expect(body.empty_state).to.equal('nothing_captured')
    expect(body.recent_compile_jobs[0]).to.include({ id: job.id, task: 'Grüße', status: 'ready', artifact_ready: true })
    const surfaces = body.primary_surfaces.map(({ id }: { id: string }) => id)
    expect(surfaces).to.include.members(['compile', 'deploy'])
    expect(body.onboarding.steps).to.deep.include({ id: 'compile', done: true })
  })

  it('shows a key that is bound to namespaces no other ones', async () => {
    const { tenant, op } = await given()
    await givenCaptures(tenant.id, 120)
    await givenCaptures(tenant.id, 150, 0, 'redacted:email', 'sales')
    for (const namespace of ['support', 'sales']) {
      const { job } = await givenJob(op, { task: `Task of ${namespace}` })
      await sendSql(
        database.db,
        `update compile_jobs set spec = json_build_object('corpus_namespace', $2::text) where id = $1`,
        [job.id, namespace],
      )
      await givenReady(op, job.id)
    }
    const { key } = await givenKey(database.db, {
      tenantId: tenant.id,
      scopes: ['account:read', 'namespace:support'],
    })
    const get = async (path: string) => await api.call('GET', path, { key })
    const state = (await get('/v1/account/state')).body
    expect(state.namespaces).to.deep.equal({ support: 120 })
    expect(state.counts).to.deep.equal({ artifacts: 1, captures: 120, namespaces: 1 })
    const overview = await get('/v1/account/compiler-overview')
    expect(overview.body.counts).to.include({ observed_captures: 120, compile_jobs: 1, artifacts: 1, specialists: 1 })
    const actions = await get('/v1/account/next-actions?limit=50')
    for (const { text } of [overview, actions]) expect(text).to.not.match(/sales|pii/)
    const all = await api.call('GET', '/v1/account/next-actions?limit=50', { key: tenant.key })
    expect(all.text).to.match(/security:pii/)
  })

  it('calls an old artifact stale for the events of its own namespace', async () => {
    const { tenant, op, get } = await given()
    const { job } = await givenJob(op)
    await sendSql(
      database.db,
      `update compile_jobs set spec = json_build_object('corpus_namespace', 'support') where id = $1`,
      [job.id],
    )
    await givenReady(op, job.id)
    await sendSql(database.db, `update artifacts set signed_at = now() - interval '91 days' where id = $1`, [job.id])
    const stale = async () =>
      (await get('/v1/account/next-actions?limit=50')).body.actions.find(
        ({ type }: { type: string }) => type === 'stale',
      )
    await givenCaptures(tenant.id, 1500, 1, 'clean', 'sales')
    expect(await stale()).to.equal(undefined)
    await givenCaptures(tenant.id, 250, 1)
    expect(await stale()).to.deep.include({
      dismiss_key: `stale:${job.id}`,
      params: { artifact_id: job.id, age_days: 91, captures_since: 250 },
    })
    await givenCaptures(tenant.id, 1500, 1)
    expect((await stale()).body).to.include('at least 1000 events')
  })
})

import { expect } from 'chai'
import { newId } from '../../../../core/kernel/ids.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { givenApiTenant, useApi, type ApiTenant, type TestApi } from '../../../support/api.ts'
import { browserOf, givenScopedKey } from '../../../support/people/given-keys.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../../../support/people/given-members.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

describe('scoped keys', () => {
  /** Lead of the server's clock, milliseconds. */
  let aheadMs = 0
  const api = useApi({ limits: { scoped_keys_per_tenant: 5 }, now: () => new Date(Date.now() + aheadMs) })
  let tenant: ApiTenant
  beforeEach(async () => {
    aheadMs = 0
    tenant = await givenApiTenant(api)
  })
  const mint = async (key: string, body: unknown) => await api.call('POST', '/v1/account/scoped-keys', { key, body })

  it('may do what they were made for and nothing else', async () => {
    const { key } = await givenScopedKey(api, tenant.key, {
      label: 'reader',
      scopes: ['account:read', 'namespace:support'],
    })
    expect((await api.call('GET', '/v1/account', { key })).status).to.equal(200)
    const refused = await api.call('GET', '/v1/account/keys', { key })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope'])
    expect(refused.body.details).to.deep.equal({ required: 'account:keys:read' })
    const { payload } = await expectAudited(setUpOperation(api.server.services.db, tenant.id), 'api_key.minted')
    expect(payload).to.include({ label: 'reader' })
  })

  it('hold published scopes only, each of the others is named', async () => {
    for (const scopes of [['nonsense:foo'], ['compile'], ['comp*'], ['namespace:No'], []]) {
      const answer = await mint(tenant.key, { scopes })
      expect(answer.status, scopes.join()).to.equal(400)
    }
    const answer = await mint(tenant.key, { scopes: ['run', 'nonsense:foo', 'also:wrong'] })
    expect([answer.status, answer.body.code]).to.deep.equal([400, 'unknown_scope'])
    expect(answer.body.details.fields.map(({ field }: { field: string }) => field)).to.deep.equal([
      'scopes.1',
      'scopes.2',
    ])
  })

  it('hand out no more than they hold, neither scopes nor namespaces nor time', async () => {
    const day = 86_400_000
    const minter = await givenScopedKey(api, tenant.key, {
      scopes: ['account:keys:write', 'capture:*', 'namespace:support'],
      ttl_days: 1,
    })
    for (const scopes of [
      ['*', 'namespace:support'],
      ['run', 'namespace:support'],
      ['capture:read'],
      ['capture:read', 'namespace:other'],
    ]) {
      const answer = await mint(minter.key, { scopes })
      expect([answer.status, answer.body.code], scopes.join()).to.deep.equal([403, 'insufficient_scope'])
    }
    const answer = await mint(minter.key, { scopes: ['capture:read', 'namespace:support'], ttl_days: 30 })
    expect(answer.status, answer.text).to.equal(200)
    expect(Date.parse(answer.body.expires_at)).to.be.lessThan(Date.now() + day + 1000)
  })

  it('end when they were meant to', async () => {
    const hour = 3_600_000
    const soon = new Date(Date.now() + hour).toISOString()
    const { key, id } = await givenScopedKey(api, tenant.key, { scopes: ['account:read'], expires_at: soon })
    const browser = await browserOf(api, key)
    const statusOf = async (options: Parameters<TestApi['call']>[2]) =>
      (await api.call('GET', '/v1/account', options)).status
    expect([await statusOf({ key }), await statusOf({ headers: browser })]).to.deep.equal([200, 200])
    aheadMs = hour
    // Remembered or not, a session has no more time than the key that opened it.
    expect([await statusOf({ key }), await statusOf({ headers: browser })]).to.deep.equal([401, 401])
    const { body } = await api.call('GET', '/v1/account/scoped-keys', { key: tenant.key })
    expect(body.keys.find((listed: { id: string }) => listed.id === id)).to.include({ expired: true, active: false })
    aheadMs = 0
    for (const wrong of [{ expires_at: '2020-01-01T00:00:00Z' }, { ttl_days: 0 }, { ttl_days: 1, expires_at: soon }]) {
      const answer = await mint(tenant.key, { scopes: ['run'], ...wrong })
      expect([answer.status, answer.body.code]).to.deep.equal([400, 'validation_failed'])
    }
  })

  it('are revoked at once, with the sessions that they opened, and only those of the own tenant', async () => {
    const { key, id } = await givenScopedKey(api, tenant.key, { scopes: ['account:read'] })
    const browser = await browserOf(api, key)
    const other = await givenApiTenant(api)
    expect((await api.call('DELETE', `/v1/account/scoped-keys/${id}`, { key: other.key })).status).to.equal(404)
    expect((await api.call('GET', '/v1/account', { headers: browser })).status).to.equal(200)
    const revoke = async () => await api.call('DELETE', `/v1/account/scoped-keys/${id}`, { key: tenant.key })
    expect((await revoke()).body).to.include({ ok: true, revoked: true })
    expect((await revoke()).body).to.include({ ok: true, revoked: false })
    for (const options of [{ key }, { headers: browser }]) {
      expect((await api.call('GET', '/v1/account', options)).status).to.equal(401)
    }
    await expectAudited(setUpOperation(api.server.services.db, tenant.id), 'api_key.revoked', id)
    const { body } = await api.call('GET', '/v1/account/scoped-keys', { key: tenant.key })
    expect(body.keys[0]).to.include({ id, revoked: true, active: false })
    expect(JSON.stringify(body)).not.to.contain(key)
  })

  it('are reissued with the same scopes, label and end', async () => {
    const { key } = await givenScopedKey(api, tenant.key, { scopes: ['account:read'], label: 'reader', ttl_days: 3 })
    const prefix = key.slice(0, 15)
    const answer = await api.call('DELETE', `/v1/account/keys/${prefix}`, { key: tenant.key })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.record).to.deep.include({
      scopes: ['account:read'],
      label: 'reader',
      primary: false,
      expires_in_days: 2,
    })
    expect((await api.call('GET', '/v1/account', { key })).status).to.equal(401)
    expect((await api.call('GET', '/v1/account', { key: answer.body.new_api_key })).status).to.equal(200)
  })

  it('of another member are reissued only by callers who may do everything, since a key acts as its holder', async () => {
    const { db } = api.server.services
    await givenPlan(db, tenant.id, 'teams')
    const { key, id } = await givenScopedKey(api, tenant.key, { scopes: ['team:*'], label: 'of the owner' })
    const admin = await givenSession(db, await givenMember(setUpOperation(db, tenant.id), { role: 'admin' }))
    const path = `/v1/account/keys/${key.slice(0, 15)}`
    const refused = await api.call('DELETE', path, { headers: admin.headers })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'forbidden'])
    expect(refused.text).not.to.contain('ks_')
    expect((await api.call('GET', '/v1/teams', { key })).status).to.equal(200)
    const own = await api.call('POST', '/v1/account/scoped-keys', { ...admin, body: { scopes: ['team:*'] } })
    const reissued = await api.call('DELETE', `/v1/account/keys/${own.body.key_prefix}`, { headers: admin.headers })
    expect(reissued.status, reissued.text).to.equal(200)
    expect((await api.call('DELETE', path, { key: tenant.key })).body.replaced_key_id).to.equal(id)
  })

  it('are taken as they were given only: the prefix of another kind opens nothing', async () => {
    const { key } = await givenScopedKey(api, tenant.key, { scopes: ['account:read'] })
    for (const prefix of ['kao', 'scim']) {
      const answer = await api.call('GET', '/v1/account', { key: key.replace(/^ks/, prefix) })
      expect([answer.status, answer.body.code], prefix).to.deep.equal([401, 'invalid_credential'])
    }
  })

  it('are at most as many as the limit says, also when they are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await mint(tenant.key, { scopes: ['account:read'] })),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(5)
    const refused = answers.filter(({ status }) => status !== 200)
    for (const { status, body } of refused) expect([status, body.code]).to.deep.equal([409, 'too_many_keys'])
  })

  it('are made by one tenant without keeping another one waiting', async () => {
    const other = await givenApiTenant(api)
    const flood = Promise.all(Array.from({ length: 150 }, async () => await mint(tenant.key, { scopes: ['run'] })))
    const answer = await api.call('GET', '/v1/account', { key: other.key })
    expect(answer.status, answer.text).to.equal(200)
    const codes = (await flood).map(({ status, body }) => `${status} ${body.code ?? 'ok'}`)
    expect(new Set(codes)).to.deep.equal(new Set(['200 ok', '409 too_many_keys', '503 busy']))
  })

  it('are made for a team by its members only', async () => {
    const { db } = api.server.services
    await givenPlan(db, tenant.id, 'teams')
    const op = setUpOperation(db, tenant.id)
    const teamId = newId('team')
    await sendSql(
      db,
      `insert into teams (id, tenant_id, slug, name, source, created_at, updated_at)
       values ($1, $2, 'one', 'One', 'manual', now(), now())`,
      [teamId, tenant.id],
    )
    const { key } = await givenScopedKey(api, tenant.key, { scopes: ['account:keys:write', 'run'] })
    const admin = await givenMember(op, { role: 'admin' })
    const { headers } = await givenSession(db, admin)
    const byAdmin = await api.call('POST', '/v1/account/scoped-keys', {
      headers,
      body: { scopes: ['run'], team_id: teamId },
    })
    expect(byAdmin.body, byAdmin.text).to.include({ team_id: teamId })
    const outsider = await mint(key, { scopes: ['run'], team_id: teamId })
    expect([outsider.status, outsider.body.code]).to.deep.equal([403, 'forbidden'])
    const unknown = await mint(tenant.key, { scopes: ['run'], team_id: newId('team') })
    expect(unknown.status).to.equal(404)
  })

  it('say when they were used last', async () => {
    const { key, id } = await givenScopedKey(api, tenant.key, { scopes: ['account:read'] })
    await api.call('GET', '/v1/account', { key })
    await api.server.services.keyUses.flush()
    const { body } = await api.call('GET', '/v1/account/scoped-keys', { key: tenant.key })
    const { last_used_at: at } = body.keys.find((listed: { id: string }) => listed.id === id)
    expect(Date.parse(at)).to.be.closeTo(Date.now(), 60_000)
  })
})

describe('published scopes', () => {
  const api = useApi()

  it('name every route that takes a key', async () => {
    const { body } = await api.call('GET', '/v1/scopes')
    const run = body.scopes.find(({ scope }: { scope: string }) => scope === 'run')
    expect(run.routes).to.include.members(['POST /v1/run', 'POST /v1/run/batch', 'GET /v1/run/batch/{id}'])
    expect(body.roles.owner).to.deep.equal(['*'])
  })

  it('say what they allow, and presets name some of them', async () => {
    const { body } = await api.call('GET', '/v1/scopes')
    const names: string[] = body.scopes.map(({ scope }: { scope: string }) => scope)
    expect(body.scopes.every(({ description }: { description: string }) => description.length > 10)).to.equal(true)
    expect(body.presets.map(({ id }: { id: string }) => id)).to.deep.equal(['run', 'read-only', 'ci'])
    for (const { scopes } of body.presets) expect(names).to.include.members(scopes)
    const tenant = await givenApiTenant(api)
    for (const { name, scopes } of body.presets) {
      const made = await api.call('POST', '/v1/account/scoped-keys', { key: tenant.key, body: { scopes, label: name } })
      expect(made.status, name).to.equal(200)
    }
    const { body: listed } = await api.call('GET', '/v1/account/scoped-keys', { key: tenant.key })
    for (const { label, preset } of listed.keys) expect(preset).to.equal(label)
  })
})

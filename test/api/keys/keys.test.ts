import { expect } from 'chai'
import { newId } from '../../../core/ids.ts'
import { expectAudited } from '../../support/audit.ts'
import { givenApiTenant, useApi, type ApiTenant, type TestApi } from '../../support/api.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from '../../support/people/given-members.ts'

/** Signs in with a key; the headers of the browser. */
async function browserOf(api: TestApi, key: string): Promise<Readonly<Record<string, string>>> {
  const answer = await api.call('POST', '/v1/session/login', { body: { api_key: key } })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { cookie, 'sec-fetch-site': 'same-origin' }
}

/** Makes a scoped key; its text and id. */
async function givenScopedKey(
  api: TestApi,
  key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly key: string; readonly id: string }> {
  const answer = await api.call('POST', '/v1/account/scoped-keys', { key, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return { key: answer.body.api_key, id: answer.body.id }
}

describe('primary key', () => {
  const api = useApi()
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })

  it('is replaced: the old one and its sessions end, the browser that asked goes on', async () => {
    const asking = await browserOf(api, tenant.key)
    const other = await browserOf(api, tenant.key)
    const rotated = await api.call('POST', '/v1/account/rotate-key', { headers: asking })
    expect(rotated.status, rotated.text).to.equal(200)
    expect(rotated.body.api_key).to.match(/^ks_/)
    const status = async (options: Parameters<TestApi['call']>[2]) =>
      (await api.call('GET', '/v1/account', options)).status
    expect(await status({ key: tenant.key })).to.equal(401)
    expect(await status({ headers: other })).to.equal(401)
    expect(await status({ headers: asking })).to.equal(200)
    expect(await status({ key: rotated.body.api_key })).to.equal(200)
    const { payload } = await expectAudited(setUpOperation(api.server.services.db, tenant.id), 'api_key.rotated')
    expect(JSON.stringify(payload)).not.to.contain(rotated.body.api_key.slice(16))
    // The session is the new key's now.
    const again = await api.call('POST', '/v1/account/rotate-key', { key: rotated.body.api_key })
    expect(again.status).to.equal(200)
    expect(await status({ headers: asking })).to.equal(401)
  })

  it('is one, however many rotations run at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => await api.call('POST', '/v1/account/rotate-key', { key: tenant.key })),
    )
    const right = answers.filter(({ status }) => status === 200)
    expect(right).to.have.length(1)
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, body.code]).to.deep.equal([401, 'invalid_credential'])
    }
    const listed = await api.call('GET', '/v1/account/keys', { key: right[0]?.body.api_key })
    expect(listed.body.keys.filter((key: { primary: boolean }) => key.primary)).to.have.length(1)
  })

  it('is listed without its secret, and replaced with a label', async () => {
    const made = await api.call('POST', '/v1/account/keys', { key: tenant.key, body: { label: 'ci-runner' } })
    expect(made.body).to.include({ label: 'ci-runner', rotated_primary: true })
    const listed = await api.call('GET', '/v1/account/keys', { key: made.body.api_key })
    expect(listed.body.keys).to.have.length(1)
    expect(listed.body.keys[0]).to.include({
      prefix: made.body.key_prefix,
      label: 'ci-runner',
      primary: true,
      active: true,
      last_used_at: null,
    })
    expect(listed.text).not.to.contain(made.body.api_key)
  })

  it('is replaced by its prefix; a prefix of nobody, of another tenant or of several is refused', async () => {
    const listed = await api.call('GET', '/v1/account/keys', { key: tenant.key })
    const [{ prefix }] = listed.body.keys
    const other = await givenApiTenant(api)
    const unknown = await api.call('DELETE', `/v1/account/keys/${prefix}`, { key: other.key })
    expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'not_found'])
    // Among 33 keys two begin with the same letter.
    await Promise.all(
      Array.from({ length: 33 }, async () => await givenScopedKey(api, tenant.key, { scopes: ['run'] })),
    )
    const keys: readonly { prefix: string }[] = (await api.call('GET', '/v1/account/keys', { key: tenant.key })).body
      .keys
    const first = keys.map((key) => key.prefix.slice(0, 4))
    const shared = first.find((letter, index) => first.indexOf(letter) !== index) ?? ''
    const several = await api.call('DELETE', `/v1/account/keys/${shared}`, { key: tenant.key })
    expect([several.status, several.body.code]).to.deep.equal([409, 'ambiguous_prefix'])
    const replaced = await api.call('DELETE', `/v1/account/keys/${prefix}`, { key: tenant.key })
    expect(replaced.status, replaced.text).to.equal(200)
    expect(replaced.body.new_api_key).to.match(/^ks_/)
    expect((await api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(401)
  })

  it('is given only to callers who may do everything', async () => {
    const { key } = await givenScopedKey(api, tenant.key, { scopes: ['account:*'] })
    for (const [method, path] of [
      ['POST', '/v1/account/rotate-key'],
      ['POST', '/v1/account/keys'],
      ['DELETE', `/v1/account/keys/${tenant.key.slice(0, 15)}`],
    ] as const) {
      const answer = await api.call(method, path, { key, ...(method === 'POST' && { body: {} }) })
      expect([answer.status, answer.body.code], path).to.deep.equal([403, 'insufficient_scope'])
      expect(answer.text).not.to.contain('ks_')
    }
  })

  it('is made for an owner whose session no key opened', async () => {
    const { db } = api.server.services
    const op = setUpOperation(db, tenant.id)
    const { headers } = await givenSession(db, await findOwner(op))
    const rotated = await api.call('POST', '/v1/account/rotate-key', { headers })
    expect(rotated.status, rotated.text).to.equal(200)
    expect((await api.call('GET', '/v1/account', { headers })).status).to.equal(200)
  })
})

describe('scoped keys', () => {
  const api = useApi({ limits: { scoped_keys_per_tenant: 5 } })
  let tenant: ApiTenant
  beforeEach(async () => {
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
    const soon = new Date(Date.now() + 1500).toISOString()
    const { key, id } = await givenScopedKey(api, tenant.key, { scopes: ['account:read'], expires_at: soon })
    expect((await api.call('GET', '/v1/account', { key })).status).to.equal(200)
    while ((await api.call('GET', '/v1/account', { key })).status === 200) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const { body } = await api.call('GET', '/v1/account/scoped-keys', { key: tenant.key })
    expect(body.keys.find((listed: { id: string }) => listed.id === id)).to.include({ expired: true, active: false })
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

  it('are at most as many as the limit says, also when they are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await mint(tenant.key, { scopes: ['account:read'] })),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(5)
    const refused = answers.filter(({ status }) => status !== 200)
    for (const { status, body } of refused) expect([status, body.code]).to.deep.equal([409, 'too_many_keys'])
  })

  it('are made for a team by its members only', async () => {
    const { db } = api.server.services
    await givenPlan(db, tenant.id, 'teams')
    const op = setUpOperation(db, tenant.id)
    const teamId = newId('team')
    await db.query(
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

describe('receipt secrets', () => {
  const api = useApi()

  it('are rotated and pruned, the current one never', async () => {
    const { key } = await givenApiTenant(api)
    const ring = async () => (await api.call('GET', '/v1/account/receipt-secrets', { key })).body
    const first = (await ring()).current.key_id
    const rotated = await api.call('POST', '/v1/account/rotate-receipt-secret', { key })
    expect(rotated.body).to.include({ ok: true, previous_count: 1 })
    const prune = async (id: string) =>
      await api.call('POST', '/v1/account/receipt-secret/prune', { key, body: { key_id: id } })
    expect((await prune(rotated.body.key_id)).status).to.equal(409)
    expect((await prune('unknown-key-id')).body.code).to.equal('unknown_receipt_key')
    const other = await givenApiTenant(api)
    const foreign = await api.call('POST', '/v1/account/receipt-secret/prune', {
      key: other.key,
      body: { key_id: first },
    })
    expect(foreign.status).to.equal(400)
    expect((await prune(first)).body).to.include({ ok: true, pruned: first, remaining_count: 1 })
    const after = await ring()
    expect(after.current.key_id).to.equal(rotated.body.key_id)
    expect([after.previous, after.total, after.pruned[0].key_id]).to.deep.equal([[], 1, first])
  })
})

describe('published scopes', () => {
  const api = useApi()

  it('name every route that takes a key', async () => {
    const { body } = await api.call('GET', '/v1/scopes')
    const run = body.scopes.find(({ scope }: { scope: string }) => scope === 'run')
    expect(run.routes).to.deep.equal(['POST /v1/run'])
    expect(body.roles.owner).to.deep.equal(['*'])
  })
})

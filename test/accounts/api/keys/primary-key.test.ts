import { expect } from 'chai'
import { expectAudited } from '../../../support/db/audit.ts'
import { givenApiTenant, useApi, type ApiTenant, type TestApi } from '../../../support/api.ts'
import { browserOf, givenScopedKey } from '../../../support/people/given-keys.ts'
import { findOwner, givenSession, setUpOperation } from '../../../support/people/given-members.ts'

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
    const rotated = await api.call('POST', '/v1/account/rotate-key', { key: made.body.api_key })
    const after = await api.call('GET', '/v1/account/keys', { key: rotated.body.api_key })
    expect(after.body.keys[0]).to.include({ label: 'ci-runner', prefix: rotated.body.key_prefix })
  })

  it('is replaced by its prefix; a prefix of no key, of a foreign key or of several keys is refused', async () => {
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

import { expect } from 'chai'
import { expectAudited } from '../../support/db/audit.ts'
import { givenApiTenant } from '../../support/api.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { SamlIdp } from '../../support/identity/saml-idp.ts'
import { configureSaml, useSsoServer } from '../../support/identity/sso.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { ADA, ENTERPRISE, expectScimError, givenDirectory, GROUP, PATCH, USER } from '../../support/identity/scim.ts'
import { eventually } from '../../support/wire/eventually.ts'

describe('SCIM', () => {
  const server = useSsoServer()
  const { api, database } = server

  it('tells what it can do, without a token', async () => {
    const config = await api.call('GET', '/scim/v2/ServiceProviderConfig')
    expect(config.status, config.text).to.equal(200)
    expect(config.headers.get('content-type')).to.include('application/scim+json')
    expect(config.body.patch).to.deep.equal({ supported: true })
    expect(config.body.filter).to.deep.equal({ supported: true, maxResults: 200 })
    expect(config.body.bulk.supported).to.equal(false)
    expect(config.body.authenticationSchemes[0].type).to.equal('oauthbearertoken')
    const types = await api.call('GET', '/scim/v2/ResourceTypes')
    expect(types.body.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).to.have.members([
      '/Users',
      '/Groups',
    ])
    const schemas = await api.call('GET', '/scim/v2/Schemas')
    expect(schemas.body.Resources.map(({ id }: { id: string }) => id)).to.include.members([USER, GROUP, ENTERPRISE])
    expect(schemas.text).not.to.include('password')
  })

  it('takes its own token only, and its token opens nothing else', async () => {
    const { tenant, token, send } = await givenDirectory(server)
    expectScimError(await api.call('GET', '/scim/v2/Users'), 401)
    expectScimError(await api.call('GET', '/scim/v2/Users', { key: tenant.key }), 401)
    expect((await api.call('GET', '/v1/account', { headers: { authorization: `Bearer ${token}` } })).status).to.equal(
      401,
    )
    expect((await api.call('POST', '/v1/signin', { body: { api_key: token } })).status).to.equal(401)
    const renewed = await givenDirectory(server, tenant)
    expectScimError(await send('GET', '/Users'), 401)
    expect((await renewed.send('GET', '/Users')).status).to.equal(200)
    await expectAudited(renewed.op, 'scim_token.rotated')
    await givenPlan(database.db, tenant.id, 'pro')
    await eventually(async () => expectScimError(await renewed.send('GET', '/Users'), 402))
    const free = await givenApiTenant(api)
    expect((await api.call('POST', '/v1/account/sso/scim-token', { key: free.key })).body.code).to.equal(
      'enterprise_only',
    )
  })

  it('creates, reads, replaces and deletes users', async () => {
    const { send, op } = await givenDirectory(server)
    const made = await send('POST', '/Users', { ...ADA, password: 'not kept', [ENTERPRISE]: { department: 'Engines' } })
    expect(made.status, made.text).to.equal(201)
    expect(made.body).to.deep.include({
      userName: 'Ada@Example.test',
      externalId: 'idp-1',
      active: true,
      name: ADA.name,
    })
    expect(made.body[ENTERPRISE]).to.deep.equal({ department: 'Engines' })
    expect(made.text).not.to.include('not kept')
    const { id } = made.body
    expect(made.body.meta.resourceType).to.equal('User')
    expect(made.body.meta.location).to.equal(`${api.url}/scim/v2/Users/${id}`)
    expect(made.headers.get('location')).to.equal(made.body.meta.location)
    expect((await send('GET', `/Users/${id}`)).body).to.deep.equal(made.body)
    await expectAudited(op, 'scim.user_created', id)

    const replaced = await send('PUT', `/Users/${id}`, {
      schemas: [USER],
      userName: 'ada@example.test',
      displayName: 'A. L.',
    })
    expect(replaced.status, replaced.text).to.equal(200)
    expect(replaced.body).to.include({ displayName: 'A. L.', active: true })
    expect(replaced.body).not.to.have.any.keys('externalId', 'name')
    await expectAudited(op, 'scim.user_updated', id)

    expect((await send('DELETE', `/Users/${id}`)).status).to.equal(204)
    await expectAudited(op, 'scim.user_deleted', id)
    expectScimError(await send('GET', `/Users/${id}`), 404)
    expectScimError(await send('DELETE', `/Users/${id}`), 404)
    const again = await send('POST', '/Users', ADA)
    expect(again.status, again.text).to.equal(201)
    expect(again.body.id).to.equal(id)
  })

  it('refuses a taken name in whatever case, and what is no user', async () => {
    const { send } = await givenDirectory(server)
    const first = await send('POST', '/Users', ADA)
    expectScimError(await send('POST', '/Users', { ...ADA, userName: 'ADA@example.TEST' }), 409, 'uniqueness')
    const second = await send('POST', '/Users', { schemas: [USER], userName: 'grace@example.test' })
    const rename = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'userName', value: 'ada@EXAMPLE.test' }] }
    expectScimError(await send('PATCH', `/Users/${second.body.id}`, rename), 409, 'uniqueness')
    expect((await send('GET', `/Users/${second.body.id}`)).body.userName).to.equal('grace@example.test')
    expect((await send('GET', `/Users/${first.body.id}`)).body.userName).to.equal('Ada@Example.test')
    expectScimError(await send('POST', '/Users', { schemas: [USER] }), 400, 'invalidValue')
    expectScimError(
      await send('POST', '/Users', { schemas: [GROUP], userName: 'x@example.test' }),
      400,
      'invalidSyntax',
    )
    expectScimError(await send('POST', '/Users', { schemas: [USER], userName: 'no address' }), 400, 'invalidValue')
    expectScimError(
      await send('POST', '/Users', { ...ADA, userName: 'b@example.test', emails: 'none' }),
      400,
      'invalidValue',
    )
    expectScimError(await send('POST', '/Users', []), 400)
    expectScimError(await send('PATCH', `/Users/${first.body.id}`, { Operations: [] }), 400, 'invalidSyntax')
    const nowhere = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'nonsense', value: 1 }] }
    expectScimError(await send('PATCH', `/Users/${first.body.id}`, nowhere), 400, 'invalidPath')
  })

  it('signs people in by their address when the user name is none', async () => {
    const { send, op } = await givenDirectory(server)
    const made = await send('POST', '/Users', {
      schemas: [USER],
      userName: 'alovelace',
      emails: [{ value: 'other@example.test' }, { value: 'Ada@example.test', primary: true }],
    })
    expect(made.status, made.text).to.equal(201)
    expect(made.body.userName).to.equal('alovelace')
    const [row] = await sendSql<{ email: string; is_email_verified: boolean }>(
      database.db,
      'select email, is_email_verified from members where id = $1 and tenant_id = $2',
      [made.body.id, op.tenantId],
    )
    expect(row).to.deep.equal({ email: 'ada@example.test', is_email_verified: false })
  })

  it('takes no two mailboxes for one address', async () => {
    const { send } = await givenDirectory(server)
    expectScimError(
      await send('POST', '/Users', { schemas: [USER], userName: 'mar\u212A@example.test' }),
      400,
      'invalidValue',
    )
  })

  it('patches as providers do: capitals, texts for booleans, no path, values by filter', async () => {
    const { send } = await givenDirectory(server)
    const { id } = (
      await send('POST', '/Users', { ...ADA, emails: [...ADA.emails, { value: 'home@example.test', type: 'home' }] })
    ).body
    const patch = async (...Operations: readonly object[]) => {
      const answer = await send('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations })
      expect(answer.status, answer.text).to.equal(200)
      return answer.body
    }
    expect(await patch({ op: 'Replace', path: 'displayName', value: 'Ada!' })).to.include({ displayName: 'Ada!' })
    expect((await patch({ op: 'Add', value: { 'name.givenName': 'A.', nickName: 'Countess' } })).nickName).to.equal(
      'Countess',
    )
    expect(
      (await patch({ op: 'replace', path: 'emails[type eq "home"].value', value: 'new@example.test' })).emails[1].value,
    ).to.equal('new@example.test')
    expect((await patch({ op: 'remove', path: 'emails[type eq "home"]' })).emails).to.have.length(1)
    const department = `${ENTERPRISE}:department`
    expect((await patch({ op: 'add', path: department, value: 'Engines' }))[ENTERPRISE]).to.deep.equal({
      department: 'Engines',
    })
    expect((await patch({ op: 'Replace', path: 'active', value: 'False' })).active).to.equal(false)
    expect((await patch({ op: 'Replace', value: { active: 'True' } })).active).to.equal(true)
    expect((await patch({ op: 'remove', path: 'active' })).active).to.equal(false)
    expect((await patch({ op: 'replace', path: 'active', value: false })).active).to.equal(false)
  })

  it('sees nothing of another tenant', async () => {
    const mine = await givenDirectory(server)
    const theirs = await givenDirectory(server)
    const { id } = (await mine.send('POST', '/Users', ADA)).body
    const group = (await mine.send('POST', '/Groups', { schemas: [GROUP], displayName: 'Mine' })).body.id
    expectScimError(await theirs.send('GET', `/Users/${id}`), 404)
    expectScimError(await theirs.send('DELETE', `/Users/${id}`), 404)
    expectScimError(await theirs.send('PUT', `/Users/${id}`, ADA), 404)
    expectScimError(await theirs.send('GET', `/Groups/${group}`), 404)
    expectScimError(await theirs.send('DELETE', `/Groups/${group}`), 404)
    const theft = { schemas: [GROUP], displayName: 'Theirs', members: [{ value: id }] }
    expectScimError(await theirs.send('POST', '/Groups', theft), 400, 'invalidValue')
    expect((await theirs.send('GET', '/Users?count=0')).body.totalResults).to.equal(1)
    expect((await theirs.send('POST', '/Users', ADA)).status).to.equal(201)
  })

  it('is switched off by settings', async () => {
    const { tenant, send } = await givenDirectory(server)
    await configureSaml(server, tenant, new SamlIdp(), { scim_enabled: false })
    expectScimError(await send('GET', '/Users'), 403)
    expectScimError(await send('POST', '/Users', ADA), 403)
  })
})

import { expect } from 'chai'
import { startServer, type RunningServer } from '../../../api/server.ts'
import { keysToRotate } from '../../../db/accounts/teams/keys-to-rotate.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { call, givenApiTenant, NO_TEMPORAL, serverOptions, type Answer, type ApiTenant } from '../../support/api.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { SamlIdp } from '../../support/identity/saml-idp.ts'
import { configureSaml, cookieOf, givenBusiness, signInBySaml, useSsoServer } from '../../support/identity/sso.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

describe('SCIM', () => {
  const server = useSsoServer()
  const { api, database } = server

  /** A tenant with a token, and what calls with it. */
  const givenDirectory = async (tenant?: ApiTenant) => {
    const owner = tenant ?? (await givenBusiness(server))
    const minted = await api.call('POST', '/v1/account/sso/scim-token', { key: owner.key })
    expect(minted.status, minted.text).to.equal(200)
    const token: string = minted.body.scim_token
    const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      await api.call(method, `/scim/v2${path}`, {
        ...(body !== undefined && { raw: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json', ...headers },
      })
    return { tenant: owner, token, send, op: setUpOperation(database.db, owner.id) }
  }
  const expectError = (answer: Answer, status: number, scimType?: string) => {
    expect(answer.status, answer.text).to.equal(status)
    expect(answer.headers.get('content-type')).to.include('application/scim+json')
    expect(answer.body.schemas).to.deep.equal([ERROR])
    expect(answer.body.status).to.equal(String(status))
    if (scimType !== undefined) expect(answer.body.scimType).to.equal(scimType)
  }
  const ada = {
    schemas: [USER],
    userName: 'Ada@Example.test',
    externalId: 'idp-1',
    name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
    emails: [{ value: 'ada@example.test', type: 'work', primary: true }],
    active: true,
  }

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
    const { tenant, token, send } = await givenDirectory()
    expectError(await api.call('GET', '/scim/v2/Users'), 401)
    expectError(await api.call('GET', '/scim/v2/Users', { key: tenant.key }), 401)
    expect((await api.call('GET', '/v1/account', { headers: { authorization: `Bearer ${token}` } })).status).to.equal(
      401,
    )
    expect((await api.call('POST', '/v1/signin', { body: { api_key: token } })).status).to.equal(401)
    const renewed = await givenDirectory(tenant)
    expectError(await send('GET', '/Users'), 401)
    expect((await renewed.send('GET', '/Users')).status).to.equal(200)
    await expectAudited(renewed.op, 'scim_token.rotated')
    await givenPlan(database.db, tenant.id, 'pro')
    await eventually(async () => expectError(await renewed.send('GET', '/Users'), 402))
    const free = await givenApiTenant(api)
    expect((await api.call('POST', '/v1/account/sso/scim-token', { key: free.key })).body.code).to.equal(
      'enterprise_only',
    )
  })

  it('creates, reads, replaces and deletes users', async () => {
    const { send, op } = await givenDirectory()
    const made = await send('POST', '/Users', { ...ada, password: 'not kept', [ENTERPRISE]: { department: 'Engines' } })
    expect(made.status, made.text).to.equal(201)
    expect(made.body).to.deep.include({
      userName: 'Ada@Example.test',
      externalId: 'idp-1',
      active: true,
      name: ada.name,
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
    expectError(await send('GET', `/Users/${id}`), 404)
    expectError(await send('DELETE', `/Users/${id}`), 404)
    const again = await send('POST', '/Users', ada)
    expect(again.status, again.text).to.equal(201)
    expect(again.body.id).to.equal(id)
  })

  it('refuses a taken name in whatever case, and what is no user', async () => {
    const { send } = await givenDirectory()
    const first = await send('POST', '/Users', ada)
    expectError(await send('POST', '/Users', { ...ada, userName: 'ADA@example.TEST' }), 409, 'uniqueness')
    const second = await send('POST', '/Users', { schemas: [USER], userName: 'grace@example.test' })
    const rename = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'userName', value: 'ada@EXAMPLE.test' }] }
    expectError(await send('PATCH', `/Users/${second.body.id}`, rename), 409, 'uniqueness')
    expect((await send('GET', `/Users/${second.body.id}`)).body.userName).to.equal('grace@example.test')
    expect((await send('GET', `/Users/${first.body.id}`)).body.userName).to.equal('Ada@Example.test')
    expectError(await send('POST', '/Users', { schemas: [USER] }), 400, 'invalidValue')
    expectError(await send('POST', '/Users', { schemas: [GROUP], userName: 'x@example.test' }), 400, 'invalidSyntax')
    expectError(await send('POST', '/Users', { schemas: [USER], userName: 'no address' }), 400, 'invalidValue')
    expectError(
      await send('POST', '/Users', { ...ada, userName: 'b@example.test', emails: 'none' }),
      400,
      'invalidValue',
    )
    expectError(await send('POST', '/Users', []), 400)
    expectError(await send('PATCH', `/Users/${first.body.id}`, { Operations: [] }), 400, 'invalidSyntax')
    const nowhere = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'nonsense', value: 1 }] }
    expectError(await send('PATCH', `/Users/${first.body.id}`, nowhere), 400, 'invalidPath')
  })

  it('signs people in by their address when the user name is none', async () => {
    const { send, op } = await givenDirectory()
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
    const { send } = await givenDirectory()
    expectError(
      await send('POST', '/Users', { schemas: [USER], userName: 'mar\u212A@example.test' }),
      400,
      'invalidValue',
    )
  })

  it('filters, sorts and pages', async () => {
    const { send, op } = await givenDirectory()
    for (const name of ['ada', 'bob', 'cid', 'dan']) {
      await send('POST', '/Users', {
        schemas: [USER],
        userName: `${name}@example.test`,
        externalId: name.toUpperCase(),
      })
    }
    const names = async (query: string) => {
      const answer = await send('GET', `/Users?${query}`)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body.itemsPerPage).to.equal(answer.body.Resources.length)
      return answer.body.Resources.map(({ userName }: { userName: string }) => userName.split('@')[0])
    }
    const where = (filter: string) => `filter=${encodeURIComponent(filter)}`
    expect(await names(where('userName eq "BOB@Example.TEST"'))).to.deep.equal(['bob'])
    expect(await names(where('externalId eq "CID"'))).to.deep.equal(['cid'])
    expect(await names(where('externalId eq "cid"'))).to.deep.equal([])
    expect(await names(where('externalId pr and (userName sw "a" or userName sw "d")'))).to.deep.equal(['ada', 'dan'])
    expect(await names(where('externalId pr and not (userName co "bob")'))).to.deep.equal(['ada', 'cid', 'dan'])
    expect(await names(where('emails[value eq "absent@example.test"]'))).to.deep.equal([])
    expect(await names(where('active eq false'))).to.deep.equal([])
    expect(await names(`${where('externalId pr')}&sortBy=userName&sortOrder=descending&count=2`)).to.deep.equal([
      'dan',
      'cid',
    ])
    expect(await names(`${where('externalId pr')}&startIndex=4&count=2`)).to.deep.equal(['dan'])
    expect(await names(`${where('externalId pr')}&startIndex=9`)).to.deep.equal([])
    const counted = await send('GET', '/Users?count=0')
    // The four, and the owner, who came by signing up.
    expect(counted.body).to.deep.include({ totalResults: 5, itemsPerPage: 0, Resources: [] })
    const narrow = await send('GET', `/Users?${where('userName eq "ada@example.test"')}&attributes=userName`)
    expect(Object.keys(narrow.body.Resources[0])).to.have.members(['schemas', 'id', 'userName'])
    const alone = await send('GET', `/Users/${narrow.body.Resources[0].id}?excludedAttributes=meta,schemas`)
    expect(alone.status, alone.text).to.equal(200)
    expect(alone.body.schemas).to.deep.equal([USER])
    const search = await send('POST', '/Users/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: 'userName eq "cid@example.test"',
      attributes: ['userName'],
      count: 1,
    })
    expect(search.status, search.text).to.equal(200)
    expect(search.body.Resources[0].userName).to.equal('cid@example.test')
    for (const bad of ['userName eq', 'userName is "a"', '(userName pr']) {
      expectError(await send('GET', `/Users?${where(bad)}`), 400, 'invalidFilter')
    }
    const { email } = await findOwner(op)
    expect(await names(where(`userName eq "${email}"`))).to.have.length(1)
  })

  it('reads a filter as it stands, however its parts are joined', async () => {
    const { send } = await givenDirectory()
    for (const [name, active, given] of [
      ['ada', true, 'Ada'],
      ['bob', false, 'Bob and Co'],
      ['cid', true, 'Cid'],
    ] as const) {
      const user = { userName: `${name}@example.test`, externalId: name, active, name: { givenName: given } }
      expect((await send('POST', '/Users', { schemas: [USER], ...user })).status).to.equal(201)
    }
    const ids = async (filter: string) => {
      const answer = await send('GET', `/Users?filter=${encodeURIComponent(`externalId pr and (${filter})`)}`)
      expect(answer.status, answer.text).to.equal(200)
      return answer.body.Resources.map(({ externalId }: { externalId: string }) => externalId)
    }
    expect(await ids('not (externalId eq "ada" and active eq true)')).to.deep.equal(['bob', 'cid'])
    expect(await ids('not (externalId eq "ada" or active eq false)')).to.deep.equal(['cid'])
    expect(await ids('name.givenName eq "bob AND co" or externalId eq "cid"')).to.deep.equal(['bob', 'cid'])
    expect(await ids('active eq "False"')).to.deep.equal(['bob'])
    expect(await ids(`${USER}:userName eq "ADA@example.test"`)).to.deep.equal(['ada'])
    expect(await ids('nickName ne "x" and externalId ne "ada"')).to.deep.equal(['bob', 'cid'])
    expect(await ids('meta.created gt "2020-01-01T00:00:00Z" and externalId sw "c"')).to.deep.equal(['cid'])
  })

  it('answers a filter that multiplies like any other, in a list, in names and in a path', async () => {
    const { send } = await givenDirectory()
    const { id } = (await send('POST', '/Users', ada)).body
    const bomb = Array.from({ length: 45 }, () => '(id pr or id pr)').join(' and ')
    const found = await send('GET', `/Users?filter=${encodeURIComponent(bomb)}`)
    expect(found.body.totalResults, found.text).to.equal(2)
    for (const name of ['attributes', 'excludedAttributes']) {
      expectError(await send('GET', `/Users?${name}=${encodeURIComponent(bomb)}`), 400, 'invalidValue')
    }
    const patch = async (operation: object) =>
      await send('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: [operation] })
    const path = `emails[${Array.from({ length: 20 }, () => '(type pr or type pr)').join(' and ')}].value`
    expectError(await patch({ op: 'replace', path, value: 'x@example.test' }), 400, 'invalidPath')
    expectError(await patch({ op: 'replace', value: { [path]: 'x@example.test' } }), 400, 'invalidPath')
    const injected = `x" and ${bomb} and value eq "y`
    for (const value of [[{ value: injected }], [{ [`${bomb} and value`]: 'x' }], [{ value: [injected] }]]) {
      expectError(await patch({ op: 'remove', path: 'emails', value }), 400, 'invalidSyntax')
    }
    const removed = await patch({ op: 'remove', path: 'emails', value: [{ value: 'ada@example.test' }] })
    expect(removed.body, removed.text).not.to.have.property('emails')
    expectError(await patch({ op: { toString: 'x' }, path: 'displayName', value: 'x' }), 400, 'invalidValue')
    expectError(await patch({ op: { name: 'x' }, path: 'displayName', value: 'x' }), 400, 'invalidSyntax')
    expectError(await patch({ op: 'replace', path: 'displayName', value: 'a\0b' }), 400, 'invalidValue')
    expectError(
      await send('GET', `/Users?filter=${encodeURIComponent('id pr constructor id pr')}`),
      400,
      'invalidFilter',
    )
    expectError(await send('GET', `/Users?filter=${'('.repeat(900)}`), 400, 'invalidFilter')
  })

  it('takes no name that leads to what all objects of the process share', async () => {
    const { send } = await givenDirectory()
    const { id } = (await send('POST', '/Users', ada)).body
    const patch = async (operation: object) =>
      await send('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: [operation] })
    for (const name of ['__proto__.zzz', 'constructor.prototype.zzz', 'name.__proto__.zzz', 'toString.zzz']) {
      for (const [path, scimType] of [
        [`/Users?attributes=${name}`, 'invalidValue'],
        [`/Users?excludedAttributes=userName,${name}`, 'invalidValue'],
        [`/Users?sortBy=${name}`, 'invalidValue'],
        [`/Users/${id}?attributes=${name}`, 'invalidValue'],
        [`/Users?filter=${encodeURIComponent(`${name} eq "x"`)}`, 'invalidFilter'],
      ] as const) {
        expectError(await send('GET', path), 400, scimType)
      }
      const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], attributes: [name] }
      expectError(await send('POST', '/Users/.search', search), 400, 'invalidValue')
      expectError(await send('POST', '/Users', { ...ada, [`${USER}:${name}`]: 'x' }), 400, 'invalidValue')
      expectError(await send('PUT', `/Users/${id}`, { ...ada, name: { [name]: 'x' } }), 400, 'invalidValue')
      expectError(await patch({ op: 'add', path: name, value: 'x' }), 400, 'invalidPath')
      expectError(await patch({ op: 'add', value: { [name]: 'x' } }), 400)
    }
    const shared = [{}, Object, Reflect.get({}, 'toString')]
    expect(shared.filter((one) => Reflect.has(one, 'zzz'))).to.deep.equal([])
    // Values are free.
    const named = { ...ada, displayName: 'constructor', title: '__proto__' }
    expect((await send('PUT', `/Users/${id}`, named)).body).to.include({ title: '__proto__' })
  })

  it('bounds what one resource holds, since all that it holds is written out again', async () => {
    const { send } = await givenDirectory()
    const addresses = Array.from({ length: 33 }, (_, index) => ({ type: 'work', postalCode: String(index) }))
    expectError(await send('POST', '/Users', { ...ada, addresses }), 400, 'tooMany')
    expectError(await send('POST', '/Users', { ...ada, title: 'x'.repeat(10_000) }), 400, 'tooMany')
    const members = Array.from({ length: 257 }, (_, index) => ({ value: `mbr_${index}` }))
    expectError(await send('POST', '/Groups', { schemas: [GROUP], displayName: 'All', members }), 400, 'tooMany')
    const { id } = (await send('POST', '/Groups', { schemas: [GROUP], displayName: 'All' })).body
    const operations = members.slice(0, 33).map(({ value }) => ({ op: 'remove', path: `members[value eq "${value}"]` }))
    const many = { schemas: [PATCH], Operations: operations }
    expectError(await send('PATCH', `/Groups/${id}`, many), 400, 'invalidSyntax')
  })

  it('refuses texts that the database has no place for, at any depth', async () => {
    const { send } = await givenDirectory()
    expectError(await send('POST', '/Users', { ...ada, name: { givenName: 'a\0b' } }), 400, 'invalidValue')
    expectError(await send('POST', '/Groups', { schemas: [GROUP], displayName: 'a\0b' }), 400, 'invalidValue')
    expect((await send('POST', '/Users', { ...ada, name: { givenName: 'a\\u0000b' } })).status).to.equal(201)
  })

  it('pages through any number of users, and looks them up by the names that providers use', async () => {
    const { send, op } = await givenDirectory()
    await sendSql(
      database.db,
      `insert into members (id, tenant_id, email, display_name, role, state, source, external_id, scim, is_email_verified,
         created_at, updated_at)
       select 'mbr_' || lpad(n::text, 26, '0'), $1, 'user' || n || '@example.test', 'User ' || n, 'member', 'deactivated',
         'scim', 'X' || n, json_build_object('userName', 'USER' || n || '@example.test', 'attributes',
         json_build_object('displayName', 'User ' || n)), false, now() + n * interval '1 ms', now()
       from generate_series(1, 6000) n`,
      [op.tenantId],
    )
    const page = await send('GET', '/Users?startIndex=5991&count=200')
    expect(page.status, page.text).to.equal(200)
    expect(page.body).to.include({ totalResults: 6001, startIndex: 5991, itemsPerPage: 11 })
    expect(page.body.Resources[10].externalId).to.equal('X6000')
    for (const [filter, total] of [
      ['userName eq "user4711@EXAMPLE.test"', 1],
      ['externalId eq "X4711"', 1],
      ['externalId eq "x4711"', 0],
      ['displayName eq "uSER 4711"', 1],
      [`id eq "mbr_${'4711'.padStart(26, '0')}"`, 1],
    ] as const) {
      const answer = await send('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      expect(answer.body.totalResults, `${filter}: ${answer.text}`).to.equal(total)
    }
    expectError(await send('POST', '/Users', ada), 409)
    // What the database does not select is looked through one by one, within a bound.
    expectError(await send('GET', `/Users?filter=${encodeURIComponent('userName sw "user"')}`), 400, 'tooMany')
    expectError(await send('GET', '/Users?sortBy=userName'), 400, 'tooMany')
  })

  it('patches as providers do: capitals, texts for booleans, no path, values by filter', async () => {
    const { send } = await givenDirectory()
    const { id } = (
      await send('POST', '/Users', { ...ada, emails: [...ada.emails, { value: 'home@example.test', type: 'home' }] })
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

  it("deactivation ends the member's sessions and keys", async () => {
    const { tenant, send, op } = await givenDirectory()
    const other: RunningServer = await startServer(serverOptions({}, { database, temporal: NO_TEMPORAL }))
    try {
      const idp = new SamlIdp()
      await configureSaml(server, tenant, idp, { default_role: 'admin' })
      for (const [index, end] of ['DELETE', 'PATCH', 'PUT'].entries()) {
        const userName = `member${index}@example.test`
        const { id } = (await send('POST', '/Users', { schemas: [USER], userName })).body
        const signedIn = await signInBySaml(server, tenant, idp, { nameId: userName })
        expect(signedIn.status, signedIn.text).to.equal(302)
        const headers = { cookie: cookieOf(signedIn, 'svc_session'), 'sec-fetch-site': 'same-origin' }
        const minted = await api.call('POST', '/v1/account/scoped-keys', {
          headers,
          body: { label: 'own', scopes: ['account:read'] },
        })
        expect(minted.status, minted.text).to.equal(200)
        const key: string = minted.body.api_key
        const whoAmI = async (url: string) => [
          (await call(url, 'GET', '/v1/whoami', { headers })).status,
          (await call(url, 'GET', '/v1/whoami', { key })).status,
        ]
        expect(await whoAmI(api.url)).to.deep.equal([200, 200])
        expect(await whoAmI(other.url)).to.deep.equal([200, 200])
        const off = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] }
        const body = end === 'PATCH' ? off : end === 'PUT' ? { schemas: [USER], userName, active: false } : undefined
        expect((await send(end, `/Users/${id}`, body)).status).to.be.oneOf([200, 204])
        // Here with the next call, elsewhere as soon as the news is there.
        expect(await whoAmI(api.url), end).to.deep.equal([401, 401])
        await eventually(async () => expect(await whoAmI(other.url), end).to.deep.equal([401, 401]))
        await expectAudited(op, 'member.deactivated', id)
        expect((await signInBySaml(server, tenant, idp, { nameId: userName })).status).to.equal(403)
      }
    } finally {
      await other.stop()
    }
  })

  it('lets a reactivated member in again, not the old sessions', async () => {
    const { send, op } = await givenDirectory()
    const { id } = (await send('POST', '/Users', ada)).body
    const member = await givenMember(op, { role: 'viewer' })
    const session = await givenSession(database.db, member)
    const set = async (userId: string, active: boolean) =>
      await send('PATCH', `/Users/${userId}`, { schemas: [PATCH], Operations: [{ op: 'replace', value: { active } }] })
    expect((await set(member.id, false)).body.active).to.equal(false)
    expect((await set(member.id, true)).body.active).to.equal(true)
    expect((await api.call('GET', '/v1/whoami', { headers: session.headers })).status).to.equal(401)
    expect((await set(id, false)).status).to.equal(200)
    await expectAudited(op, 'member.reactivated', member.id)
  })

  it('counts seats, on the way in and on the way back', async () => {
    const { send, op } = await givenDirectory()
    const { id } = (await send('POST', '/Users', { ...ada, active: false })).body
    for (let index = 1; index < 15; index++) await givenMember(op, { role: 'viewer' })
    expectError(await send('POST', '/Users', { schemas: [USER], userName: 'late@example.test' }), 402)
    const idle = { schemas: [USER], userName: 'idle@example.test', active: false }
    expect((await send('POST', '/Users', idle)).status).to.equal(201)
    expectError(await send('PUT', `/Users/${id}`, ada), 402)
    expect((await send('GET', `/Users/${id}`)).body.active).to.equal(false)
  })

  it('leaves owners to owners', async () => {
    const { send, op } = await givenDirectory()
    const owner = await findOwner(op)
    const off = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] }
    expectError(await send('PATCH', `/Users/${owner.id}`, off), 403)
    expectError(await send('DELETE', `/Users/${owner.id}`), 403)
    expectError(await send('PUT', `/Users/${owner.id}`, { schemas: [USER], userName: 'thief@example.test' }), 403)
    const name = { schemas: [PATCH], Operations: [{ op: 'add', path: 'displayName', value: 'The owner' }] }
    expect((await send('PATCH', `/Users/${owner.id}`, name)).body.displayName).to.equal('The owner')
    expect((await findOwner(op)).email).to.equal(owner.email)
  })

  it('keeps groups as teams', async () => {
    const { send, op } = await givenDirectory()
    const user = async (name: string): Promise<string> =>
      (await send('POST', '/Users', { schemas: [USER], userName: `${name}@example.test` })).body.id
    const [one, two, three] = [await user('one'), await user('two'), await user('three')]
    const made = await send('POST', '/Groups', {
      schemas: [GROUP],
      displayName: 'Engineers',
      members: [{ value: one }, { value: two }],
    })
    expect(made.status, made.text).to.equal(201)
    const { id } = made.body
    await expectAudited(op, 'scim.group_created', id)
    const members = (answer: Answer) => (answer.body.members ?? []).map(({ value }: { value: string }) => value)
    expect(members(made)).to.deep.equal([one, two])
    expect((await send('GET', `/Users/${one}`)).body.groups).to.deep.equal([
      { value: id, $ref: `${api.url}/scim/v2/Groups/${id}`, display: 'Engineers', type: 'direct' },
    ])
    expectError(await send('POST', '/Groups', { schemas: [GROUP], displayName: 'ENGINEERS' }), 409, 'uniqueness')
    const stranger = { schemas: [GROUP], displayName: 'Others', members: [{ value: 'mbr_unknown' }] }
    expectError(await send('POST', '/Groups', stranger), 400, 'invalidValue')
    const patch = async (...Operations: readonly object[]) =>
      await send('PATCH', `/Groups/${id}`, { schemas: [PATCH], Operations })
    expect(members(await patch({ op: 'add', path: 'members', value: [{ value: three }] }))).to.deep.equal([
      one,
      two,
      three,
    ])
    expect(members(await patch({ op: 'remove', path: `members[value eq "${two}"]` }))).to.deep.equal([one, three])
    await expectAudited(op, 'team.member_removed', two)
    await expectAudited(op, 'scim.group_updated', id)
    expect((await patch({ op: 'replace', value: { displayName: 'Makers' } })).body.displayName).to.equal('Makers')
    // Two at once lose neither.
    await Promise.all([
      patch({ op: 'add', path: 'members', value: [{ value: two }] }),
      patch({ op: 'remove', path: `members[value eq "${one}"]` }),
    ])
    expect(members(await send('GET', `/Groups/${id}`))).to.have.members([two, three])
    const listed = await send(
      'GET',
      `/Groups?filter=${encodeURIComponent('displayName eq "makers"')}&excludedAttributes=members`,
    )
    expect(listed.body.Resources).to.have.length(1)
    expect(listed.body.Resources[0]).not.to.have.property('members')
    expect((await send('PUT', `/Groups/${id}`, { schemas: [GROUP], displayName: 'Makers' })).status).to.equal(200)
    expect(members(await send('GET', `/Groups/${id}`))).to.deep.equal([])
    expect((await send('DELETE', `/Groups/${id}`)).status).to.equal(204)
    await expectAudited(op, 'scim.group_deleted', id)
    expectError(await send('GET', `/Groups/${id}`), 404)
  })

  it('takes a deleted user out of all teams, with what follows from that', async () => {
    const { tenant, send, op } = await givenDirectory()
    const { id } = (await send('POST', '/Users', ada)).body
    const made = await api.call('POST', '/v1/teams', { key: tenant.key, body: { name: 'By hand' } })
    const team: string = made.body.team.id
    await api.call('POST', `/v1/teams/${team}/invite`, { key: tenant.key, body: { email: 'ada@example.test' } })
    const shared = await api.call('POST', '/v1/account/provider-keys', {
      key: tenant.key,
      body: { provider: 'openai', scope: 'team', value: 'sk-shared-by-the-team', team_id: team },
    })
    expect(shared.status, shared.text).to.be.oneOf([200, 201])
    expect(await keysToRotate(op)).to.deep.equal([])
    expect((await send('DELETE', `/Users/${id}`)).status).to.equal(204)
    await expectAudited(op, 'team.member_removed', id)
    expect(await keysToRotate(op)).to.have.length(1)
  })

  it('a removed person cannot be invited by other routes', async () => {
    const { tenant, send } = await givenDirectory()
    await send('POST', '/Users', { ...ada, active: false })
    const asked = await api.call('POST', `/v1/orgs/${tenant.id}/invites`, {
      key: tenant.key,
      body: { email: 'ada@example.test' },
    })
    expect([asked.status, asked.body.code], asked.text).to.deep.equal([409, 'duplicate'])
  })

  it('a group named owner makes no owner; a role is given by settings only', async () => {
    const { tenant, send, op } = await givenDirectory()
    await configureSaml(server, tenant, new SamlIdp(), { group_roles: { Operators: 'admin' }, default_role: 'viewer' })
    const { id } = (await send('POST', '/Users', ada)).body
    const role = async () =>
      (await sendSql<{ role: string }>(database.db, 'select role from members where id = $1', [id]))[0]?.role
    for (const displayName of ['owner', 'admin', 'Owners']) {
      expect(
        (await send('POST', '/Groups', { schemas: [GROUP], displayName, members: [{ value: id }] })).status,
      ).to.equal(201)
    }
    expect(await role()).to.equal('viewer')
    const made = await send('POST', '/Groups', { schemas: [GROUP], displayName: 'Operators', members: [{ value: id }] })
    expect(await role()).to.equal('admin')
    await expectAudited(op, 'member.role_changed', id)
    await send('DELETE', `/Groups/${made.body.id}`)
    expect(await role()).to.equal('viewer')
    // Settings that give another role count at once for those whom SCIM keeps in the group.
    const settings = async (body: object) =>
      await api.call('POST', '/v1/account/sso/configure', { key: tenant.key, body })
    await send('POST', '/Groups', { schemas: [GROUP], displayName: 'Staff', members: [{ value: id }] })
    expect(await role()).to.equal('viewer')
    expect((await settings({ group_roles: { Staff: 'admin' } })).status).to.equal(200)
    expect(await role()).to.equal('admin')
    expect((await settings({ group_roles: {} })).status).to.equal(200)
    expect(await role()).to.equal('viewer')
  })

  it('sees nothing of another tenant', async () => {
    const mine = await givenDirectory()
    const theirs = await givenDirectory()
    const { id } = (await mine.send('POST', '/Users', ada)).body
    const group = (await mine.send('POST', '/Groups', { schemas: [GROUP], displayName: 'Mine' })).body.id
    expectError(await theirs.send('GET', `/Users/${id}`), 404)
    expectError(await theirs.send('DELETE', `/Users/${id}`), 404)
    expectError(await theirs.send('PUT', `/Users/${id}`, ada), 404)
    expectError(await theirs.send('GET', `/Groups/${group}`), 404)
    expectError(await theirs.send('DELETE', `/Groups/${group}`), 404)
    const theft = { schemas: [GROUP], displayName: 'Theirs', members: [{ value: id }] }
    expectError(await theirs.send('POST', '/Groups', theft), 400, 'invalidValue')
    expect((await theirs.send('GET', '/Users?count=0')).body.totalResults).to.equal(1)
    expect((await theirs.send('POST', '/Users', ada)).status).to.equal(201)
  })

  it('is switched off by settings', async () => {
    const { tenant, send } = await givenDirectory()
    await configureSaml(server, tenant, new SamlIdp(), { scim_enabled: false })
    expectError(await send('GET', '/Users'), 403)
    expectError(await send('POST', '/Users', ada), 403)
  })
})

const PATIENCE_MS = 20_000

/** Repeats an expectation until it holds. Throws what it said last. */
async function eventually(expectation: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      await expectation()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

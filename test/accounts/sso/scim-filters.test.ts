import { expect } from 'chai'
import { findOwner } from '../../support/people/given-members.ts'
import { useSsoServer } from '../../support/identity/sso.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { ADA, expectScimError, givenDirectory, GROUP, PATCH, USER } from '../../support/identity/scim.ts'

describe('SCIM filters, names and pages', () => {
  const server = useSsoServer()
  const { database } = server

  it('filters, sorts and pages', async () => {
    const { send, op } = await givenDirectory(server)
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
      expectScimError(await send('GET', `/Users?${where(bad)}`), 400, 'invalidFilter')
    }
    const { email } = await findOwner(op)
    expect(await names(where(`userName eq "${email}"`))).to.have.length(1)
  })

  it('reads a filter as it stands, however its parts are joined', async () => {
    const { send } = await givenDirectory(server)
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
    const { send } = await givenDirectory(server)
    const { id } = (await send('POST', '/Users', ADA)).body
    const bomb = Array.from({ length: 45 }, () => '(id pr or id pr)').join(' and ')
    const found = await send('GET', `/Users?filter=${encodeURIComponent(bomb)}`)
    expect(found.body.totalResults, found.text).to.equal(2)
    for (const name of ['attributes', 'excludedAttributes']) {
      expectScimError(await send('GET', `/Users?${name}=${encodeURIComponent(bomb)}`), 400, 'invalidValue')
    }
    const patch = async (operation: object) =>
      await send('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: [operation] })
    const path = `emails[${Array.from({ length: 20 }, () => '(type pr or type pr)').join(' and ')}].value`
    expectScimError(await patch({ op: 'replace', path, value: 'x@example.test' }), 400, 'invalidPath')
    expectScimError(await patch({ op: 'replace', value: { [path]: 'x@example.test' } }), 400, 'invalidPath')
    const injected = `x" and ${bomb} and value eq "y`
    for (const value of [[{ value: injected }], [{ [`${bomb} and value`]: 'x' }], [{ value: [injected] }]]) {
      expectScimError(await patch({ op: 'remove', path: 'emails', value }), 400, 'invalidSyntax')
    }
    const removed = await patch({ op: 'remove', path: 'emails', value: [{ value: 'ada@example.test' }] })
    expect(removed.body, removed.text).not.to.have.property('emails')
    expectScimError(await patch({ op: { toString: 'x' }, path: 'displayName', value: 'x' }), 400, 'invalidValue')
    expectScimError(await patch({ op: { name: 'x' }, path: 'displayName', value: 'x' }), 400, 'invalidSyntax')
    expectScimError(await patch({ op: 'replace', path: 'displayName', value: 'a\0b' }), 400, 'invalidValue')
    expectScimError(
      await send('GET', `/Users?filter=${encodeURIComponent('id pr constructor id pr')}`),
      400,
      'invalidFilter',
    )
    expectScimError(await send('GET', `/Users?filter=${'('.repeat(900)}`), 400, 'invalidFilter')
  })

  it('takes no name that leads to what all objects of the process share', async () => {
    const { send } = await givenDirectory(server)
    const { id } = (await send('POST', '/Users', ADA)).body
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
        expectScimError(await send('GET', path), 400, scimType)
      }
      const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], attributes: [name] }
      expectScimError(await send('POST', '/Users/.search', search), 400, 'invalidValue')
      expectScimError(await send('POST', '/Users', { ...ADA, [`${USER}:${name}`]: 'x' }), 400, 'invalidValue')
      expectScimError(await send('PUT', `/Users/${id}`, { ...ADA, name: { [name]: 'x' } }), 400, 'invalidValue')
      expectScimError(await patch({ op: 'add', path: name, value: 'x' }), 400, 'invalidPath')
      expectScimError(await patch({ op: 'add', value: { [name]: 'x' } }), 400)
    }
    const shared = [{}, Object, Reflect.get({}, 'toString')]
    expect(shared.filter((one) => Reflect.has(one, 'zzz'))).to.deep.equal([])
    // Values are free.
    const named = { ...ADA, displayName: 'constructor', title: '__proto__' }
    expect((await send('PUT', `/Users/${id}`, named)).body).to.include({ title: '__proto__' })
  })

  it('bounds what one resource holds, since all that it holds is written out again', async () => {
    const { send } = await givenDirectory(server)
    const addresses = Array.from({ length: 33 }, (_, index) => ({ type: 'work', postalCode: String(index) }))
    expectScimError(await send('POST', '/Users', { ...ADA, addresses }), 400, 'tooMany')
    expectScimError(await send('POST', '/Users', { ...ADA, title: 'x'.repeat(10_000) }), 400, 'tooMany')
    const members = Array.from({ length: 257 }, (_, index) => ({ value: `mbr_${index}` }))
    expectScimError(await send('POST', '/Groups', { schemas: [GROUP], displayName: 'All', members }), 400, 'tooMany')
    const { id } = (await send('POST', '/Groups', { schemas: [GROUP], displayName: 'All' })).body
    const operations = members.slice(0, 33).map(({ value }) => ({ op: 'remove', path: `members[value eq "${value}"]` }))
    const many = { schemas: [PATCH], Operations: operations }
    expectScimError(await send('PATCH', `/Groups/${id}`, many), 400, 'invalidSyntax')
  })

  it('refuses texts that the database has no place for, at any depth', async () => {
    const { send } = await givenDirectory(server)
    expectScimError(await send('POST', '/Users', { ...ADA, name: { givenName: 'a\0b' } }), 400, 'invalidValue')
    expectScimError(await send('POST', '/Groups', { schemas: [GROUP], displayName: 'a\0b' }), 400, 'invalidValue')
    expect((await send('POST', '/Users', { ...ADA, name: { givenName: 'a\\u0000b' } })).status).to.equal(201)
  })

  it('pages through any number of users, and looks them up by the names that providers use', async () => {
    const { send, op } = await givenDirectory(server)
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
    expectScimError(await send('POST', '/Users', ADA), 409)
    // What the database does not select is looked through one by one, within a bound.
    expectScimError(await send('GET', `/Users?filter=${encodeURIComponent('userName sw "user"')}`), 400, 'tooMany')
    expectScimError(await send('GET', '/Users?sortBy=userName'), 400, 'tooMany')
  })
})

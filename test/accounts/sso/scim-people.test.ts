import { expect } from 'chai'
import { startServer, type RunningServer } from '../../../api/server.ts'
import { keysToRotate } from '../../../db/gateway/provider-keys/keys-to-rotate.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { call, NO_TEMPORAL, serverOptions, type Answer } from '../../support/api.ts'
import { findOwner, givenMember, givenSession } from '../../support/people/given-members.ts'
import { SamlIdp } from '../../support/identity/saml-idp.ts'
import { configureSaml, cookieOf, signInBySaml, useSsoServer } from '../../support/identity/sso.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { ADA, expectScimError, givenDirectory, GROUP, PATCH, USER } from '../../support/identity/scim.ts'
import { eventually } from '../../support/wire/eventually.ts'

describe('SCIM users as members, groups as teams', () => {
  const server = useSsoServer()
  const { api, database } = server

  it("deactivation ends the member's sessions and keys", async () => {
    const { tenant, send, op } = await givenDirectory(server)
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
    const { send, op } = await givenDirectory(server)
    const { id } = (await send('POST', '/Users', ADA)).body
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
    const { send, op } = await givenDirectory(server)
    const { id } = (await send('POST', '/Users', { ...ADA, active: false })).body
    for (let index = 1; index < 15; index++) await givenMember(op, { role: 'viewer' })
    expectScimError(await send('POST', '/Users', { schemas: [USER], userName: 'late@example.test' }), 402)
    const idle = { schemas: [USER], userName: 'idle@example.test', active: false }
    expect((await send('POST', '/Users', idle)).status).to.equal(201)
    expectScimError(await send('PUT', `/Users/${id}`, ADA), 402)
    expect((await send('GET', `/Users/${id}`)).body.active).to.equal(false)
  })

  it('leaves owners to owners', async () => {
    const { send, op } = await givenDirectory(server)
    const owner = await findOwner(op)
    const off = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] }
    expectScimError(await send('PATCH', `/Users/${owner.id}`, off), 403)
    expectScimError(await send('DELETE', `/Users/${owner.id}`), 403)
    expectScimError(await send('PUT', `/Users/${owner.id}`, { schemas: [USER], userName: 'thief@example.test' }), 403)
    const name = { schemas: [PATCH], Operations: [{ op: 'add', path: 'displayName', value: 'The owner' }] }
    expect((await send('PATCH', `/Users/${owner.id}`, name)).body.displayName).to.equal('The owner')
    expect((await findOwner(op)).email).to.equal(owner.email)
  })

  it('keeps groups as teams', async () => {
    const { send, op } = await givenDirectory(server)
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
    expectScimError(await send('POST', '/Groups', { schemas: [GROUP], displayName: 'ENGINEERS' }), 409, 'uniqueness')
    const stranger = { schemas: [GROUP], displayName: 'Others', members: [{ value: 'mbr_unknown' }] }
    expectScimError(await send('POST', '/Groups', stranger), 400, 'invalidValue')
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
    expectScimError(await send('GET', `/Groups/${id}`), 404)
  })

  it('takes a deleted user out of all teams, with what follows from that', async () => {
    const { tenant, send, op } = await givenDirectory(server)
    const { id } = (await send('POST', '/Users', ADA)).body
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
    const { tenant, send } = await givenDirectory(server)
    await send('POST', '/Users', { ...ADA, active: false })
    const asked = await api.call('POST', `/v1/orgs/${tenant.id}/invites`, {
      key: tenant.key,
      body: { email: 'ada@example.test' },
    })
    expect([asked.status, asked.body.code], asked.text).to.deep.equal([409, 'duplicate'])
  })

  it('a group named owner makes no owner; a role is given by settings only', async () => {
    const { tenant, send, op } = await givenDirectory(server)
    await configureSaml(server, tenant, new SamlIdp(), { group_roles: { Operators: 'admin' }, default_role: 'viewer' })
    const { id } = (await send('POST', '/Users', ADA)).body
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
})

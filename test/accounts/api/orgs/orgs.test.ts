import { expect } from 'chai'
import { newId } from '../../../../core/kernel/ids.ts'
import { scopesOfRole, type Role } from '../../../../core/accounts/roles.ts'
import { insertKey } from '../../../../db/accounts/keys/insert-key.ts'
import { mintKey } from '../../../../db/accounts/keys/key-text.ts'
import type { Member } from '../../../../db/accounts/members/member.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import {
  findOwner,
  givenMember,
  givenPlan,
  givenSession,
  setUpOperation,
} from '../../../support/people/given-members.ts'
import { mailedInvitation } from '../../../support/mail/mailed-tokens.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'

const seen = ({ status, body }: Answer): readonly unknown[] => [status, body.code]

/** Asks until the answer has this status: processes are notified a moment after a change. */
async function until(status: number, ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status === status) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('organisations', () => {
  const api = useApi({ settings: { isMailConfigured: true }, limits: { invites_per_ip_15min: 100_000 } })
  const db = () => api.server.services.db
  const op = (tenant: ApiTenant) => setUpOperation(db(), tenant.id)
  const givenOrg = async (): Promise<ApiTenant> => {
    const tenant = await givenApiTenant(api)
    await givenPlan(db(), tenant.id, 'business')
    return tenant
  }
  const person = async (tenant: ApiTenant, role: Role, isEmailVerified = true) => {
    const member: Member = await givenMember(op(tenant), { role, isEmailVerified })
    return { member, headers: { ...(await givenSession(db(), member)).headers } }
  }
  const givenKeyOf = async (member: Member, scopes: readonly string[]): Promise<string> => {
    const minted = await mintKey(db().hashSlots, 'ks')
    await tenantOf(db(), member.tenantId).write(async (tx) => {
      const { tenantId, id: memberId } = member
      insertKey(tx, { minted, kind: 'scoped', tenantId, memberId, scopes, now: new Date() })
    })
    return minted.apiKey
  }

  it('outsiders read no org', async () => {
    const tenant = await givenOrg()
    const stranger = await givenOrg()
    for (const path of ['', '/members', '/invites', '/audit']) {
      const answer = await api.call('GET', `/v1/orgs/${tenant.id}${path}`, { key: stranger.key })
      expect(seen(answer), path).to.deep.equal([403, 'forbidden'])
    }
    const { id } = await findOwner(op(tenant))
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'mine-now' }],
      ['PATCH', `/members/${id}`, { role: 'viewer' }],
      ['DELETE', `/members/${id}`, undefined],
      ['POST', '/invites', { email: 'me@example.test' }],
      ['POST', '/leave', undefined],
      ['POST', '/transfer-owner', { member_id: id }],
    ] as const) {
      const answer = await api.call(method, `/v1/orgs/${tenant.id}${path}`, { key: stranger.key, body })
      expect(seen(answer), path).to.deep.equal([403, 'forbidden'])
    }
    const unknown = await api.call('GET', `/v1/orgs/${newId('ten')}`, { key: tenant.key })
    expect(seen(unknown)).to.deep.equal([404, 'not_found'])
    expect((await api.call('GET', '/v1/orgs', { key: stranger.key })).body.orgs).to.have.length(1)
  })

  it('lists those where the same verified address is a member, and no others', async () => {
    const [home, work, trap] = [await givenOrg(), await givenOrg(), await givenOrg()]
    const { email } = await findOwner(op(home))
    await givenMember(op(work), { role: 'viewer', email })
    // Here a person gave an address that is not theirs.
    await givenMember(op(trap), { role: 'admin', email, isEmailVerified: false })
    const listed = async () => (await api.call('GET', '/v1/orgs', { key: home.key })).body.orgs
    expect(await listed()).to.have.length(1)
    await sendSql(db(), 'update members set is_email_verified = true where tenant_id = $1', [home.id])
    const orgs = await listed()
    expect(orgs.map(({ id, role, is_current }: Record<string, unknown>) => [id, role, is_current])).to.deep.equal([
      [home.id, 'owner', true],
      [work.id, 'viewer', false],
    ])
    expect(seen(await api.call('GET', `/v1/orgs/${work.id}`, { key: home.key }))).to.deep.equal([403, 'forbidden'])
  })

  it('takes what a role may from a member on every process, keys and sessions of keys included', async () => {
    const tenant = await givenOrg()
    const { member, headers } = await person(tenant, 'admin')
    const wide = await givenKeyOf(member, ['team:admin', 'team:read'])
    const narrow = await givenKeyOf(member, ['run', 'compile:read'])
    const invites = `/v1/orgs/${tenant.id}/invites`
    expect((await api.call('GET', invites, { headers })).status).to.equal(200)
    expect((await api.call('GET', invites, { key: wide })).status).to.equal(200)
    const changed = await api.call('PATCH', `/v1/orgs/${tenant.id}/members/${member.id}`, {
      key: tenant.key,
      body: { role: 'member' },
    })
    expect(changed.body.role).to.equal('member')
    await expectAudited(op(tenant), 'member.role_changed', member.id)
    const refused = await until(403, async () => await api.call('GET', invites, { headers }))
    expect(refused.body.code).to.equal('insufficient_scope')
    await until(401, async () => await api.call('GET', invites, { key: wide }))
    expect((await api.call('GET', '/v1/compile', { key: narrow })).status).to.equal(200)
  })

  it('hands out no role that the caller does not hold, whatever the caller’s own role is', async () => {
    const tenant = await givenOrg()
    const { member } = await person(tenant, 'admin')
    const other = await person(tenant, 'viewer')
    const invites = `/v1/orgs/${tenant.id}/invites`
    const row = `/v1/orgs/${tenant.id}/members/${other.member.id}`
    const team = await api.call('POST', '/v1/teams', { key: tenant.key, body: { name: 'Research' } })
    for (const scopes of [
      ['team:admin', 'team:write'],
      ['team:*', 'namespace:x'],
    ]) {
      const key = await givenKeyOf(member, scopes)
      for (const [method, path, body] of [
        ['POST', invites, { email: 'me@example.test', role: 'admin' }],
        ['POST', invites, { email: 'me@example.test', role: 'viewer' }],
        ['POST', `/v1/teams/${team.body.team.id}/invite`, { email: 'me@example.test' }],
        ['PATCH', row, { role: 'admin' }],
      ] as const) {
        const answer = await api.call(method, path, { key, body })
        expect(seen(answer), `${path} ${answer.text}`).to.deep.equal([403, 'insufficient_scope'])
      }
    }
    const wide = await givenKeyOf(member, ['team:*', ...scopesOfRole('viewer')])
    const asked = await api.call('POST', invites, { key: wide, body: { email: 'looker@example.test', role: 'viewer' } })
    expect(asked.status, asked.text).to.equal(201)
  })

  it('lets members change only roles up to their own, and makes owners by transfer only', async () => {
    const tenant = await givenOrg()
    const owner = await findOwner(op(tenant))
    const admin = await person(tenant, 'admin')
    const path = (memberId: string) => `/v1/orgs/${tenant.id}/members/${memberId}`
    const { headers } = admin
    for (const answer of [
      await api.call('PATCH', path(owner.id), { headers, body: { role: 'viewer' } }),
      await api.call('DELETE', path(owner.id), { headers }),
      await api.call('PATCH', path(admin.member.id), { headers, body: { role: 'owner' } }),
      await api.call('PATCH', path(admin.member.id), { key: tenant.key, body: { role: 'owner' } }),
    ]) {
      expect(seen(answer)).to.deep.equal([403, 'forbidden'])
    }
    for (const answer of [
      await api.call('PATCH', path(owner.id), { key: tenant.key, body: { role: 'viewer' } }),
      await api.call('DELETE', path(owner.id), { key: tenant.key }),
      await api.call('POST', `/v1/orgs/${tenant.id}/leave`, { key: tenant.key }),
    ]) {
      expect(seen(answer)).to.deep.equal([409, 'last_owner'])
    }
    expect(seen(await api.call('DELETE', path(newId('mbr')), { key: tenant.key }))).to.deep.equal([404, 'not_found'])
  })

  it('shuts members out and lets them leave, with the end of all that they could call with', async () => {
    const tenant = await givenOrg()
    const [removed, leaving] = [await person(tenant, 'member'), await person(tenant, 'viewer')]
    const key = await givenKeyOf(removed.member, ['team:read'])
    const teams = async (options: object) => await api.call('GET', '/v1/teams', options)
    expect((await teams({ key })).status).to.equal(200)
    expect((await teams({ headers: removed.headers })).status).to.equal(200)
    const out = await api.call('DELETE', `/v1/orgs/${tenant.id}/members/${removed.member.id}`, { key: tenant.key })
    expect(out.status).to.equal(200)
    await until(401, async () => await teams({ key }))
    await until(401, async () => await teams({ headers: removed.headers }))

    const narrow = await givenKeyOf(leaving.member, ['team:read'])
    const leave = `/v1/orgs/${tenant.id}/leave`
    expect(seen(await api.call('POST', leave, { key: narrow }))).to.deep.equal([403, 'forbidden'])
    const left = await api.call('POST', leave, { headers: leaving.headers })
    expect(left.status, left.text).to.equal(200)
    expect(left.headers.get('set-cookie')).to.contain('svc_session=;').and.contain('Max-Age=0')
    await until(401, async () => await teams({ headers: leaving.headers }))
    const org = await api.call('GET', `/v1/orgs/${tenant.id}`, { key: tenant.key })
    expect(org.body.org.seats_used).to.equal(1)
  })

  it('changes hands: the owner before becomes an admin, the primary key ends, resets go to the new address', async () => {
    const tenant = await givenOrg()
    const before = await findOwner(op(tenant))
    const heir = await person(tenant, 'member')
    const doubtful = await person(tenant, 'member', false)
    const path = `/v1/orgs/${tenant.id}/transfer-owner`
    const hand = async (memberId: string) =>
      await api.call('POST', path, { key: tenant.key, body: { member_id: memberId } })
    expect(seen(await hand(doubtful.member.id))).to.deep.equal([403, 'forbidden'])
    expect(seen(await hand(newId('mbr')))).to.deep.equal([404, 'not_found'])
    const admin = await person(tenant, 'admin')
    const taken = await api.call('POST', path, { headers: admin.headers, body: { member_id: admin.member.id } })
    expect(seen(taken)).to.deep.equal([403, 'forbidden'])

    const handed = await hand(heir.member.id)
    expect(handed.status, handed.text).to.equal(200)
    await expectAudited(op(tenant), 'org.owner_transferred', tenant.id)
    await until(401, async () => await api.call('GET', '/v1/orgs', { key: tenant.key }))
    const members = await until(200, async () => {
      return await api.call('GET', `/v1/orgs/${tenant.id}/members`, { headers: heir.headers })
    })
    const roles = Object.fromEntries(members.body.members.map((row: { id: string; role: Role }) => [row.id, row.role]))
    expect(roles).to.include({ [before.id]: 'admin', [heir.member.id]: 'owner' })
    const [account] = await sendSql<{ email: string }>(db(), 'select email from tenants where id = $1', [tenant.id])
    expect(account?.email).to.equal(heir.member.email)
  })

  it('is renamed, once for each name, and shows its admins what was done', async () => {
    const [tenant, other] = [await givenOrg(), await givenOrg()]
    const name = `labs-${newId('ten').slice(-8)}`
    const renamed = await api.call('PATCH', `/v1/orgs/${tenant.id}`, { key: tenant.key, body: { name } })
    expect(renamed.body.org).to.include({ id: tenant.id, name, role: 'owner', seats_max: 15 })
    await expectAudited(op(tenant), 'org.updated', tenant.id)
    const taken = await api.call('PATCH', `/v1/orgs/${other.id}`, { key: other.key, body: { name } })
    expect(seen(taken)).to.deep.equal([409, 'duplicate'])
    const log = await api.call('GET', `/v1/orgs/${tenant.id}/audit?limit=1`, { key: tenant.key })
    expect(log.body.entries[0]).to.include({ action: 'org.updated', target: tenant.id })
    expect(log.body.next_cursor).to.be.a('string')
    const member = await person(tenant, 'member')
    const closed = await api.call('GET', `/v1/orgs/${tenant.id}/audit`, { headers: member.headers })
    expect(seen(closed)).to.deep.equal([403, 'insufficient_scope'])
  })

  it('brings back who was shut out, under the same id, when they are invited again', async () => {
    const tenant = await givenOrg()
    const { member } = await person(tenant, 'member')
    await api.call('DELETE', `/v1/orgs/${tenant.id}/members/${member.id}`, { key: tenant.key })
    const invited = await api.call('POST', `/v1/orgs/${tenant.id}/invites`, {
      key: tenant.key,
      body: { email: member.email, role: 'viewer' },
    })
    expect(invited.status, invited.text).to.equal(201)
    const token = await mailedInvitation(db(), member.email)
    const accepted = await api.call('POST', `/v1/teams/invites/${token}/accept`)
    expect(accepted.body.member.id).to.equal(member.id)
    const active = await api.call('POST', `/v1/orgs/${tenant.id}/invites`, {
      key: tenant.key,
      body: { email: member.email },
    })
    expect(seen(active)).to.deep.equal([409, 'duplicate'])
  })
})

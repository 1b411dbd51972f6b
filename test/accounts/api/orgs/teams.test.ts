import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Role } from '../../../../core/accounts/roles.ts'
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
import { sendSql } from '../../../support/db/send-sql.ts'

const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.test`
const seen = ({ status, body }: Answer): readonly unknown[] => [status, body.code]

describe('teams', () => {
  const limits = { invites_per_ip_15min: 100_000, teams_per_tenant: 4 }
  const api = useApi({ settings: { isMailConfigured: true }, limits })
  const db = () => api.server.services.db
  const givenOrg = async (): Promise<ApiTenant> => {
    const tenant = await givenApiTenant(api)
    await givenPlan(db(), tenant.id, 'teams')
    return tenant
  }
  const op = (tenant: ApiTenant) => setUpOperation(db(), tenant.id)
  const person = async (
    tenant: ApiTenant,
    role: Role,
  ): Promise<{ member: Member; headers: Record<string, string> }> => {
    const member = await givenMember(op(tenant), { role })
    return { member, headers: { ...(await givenSession(db(), member)).headers } }
  }
  const givenTeam = async (tenant: ApiTenant, name = 'Research'): Promise<string> => {
    const made = await api.call('POST', '/v1/teams', { key: tenant.key, body: { name } })
    expect(made.status, made.text).to.equal(201)
    return made.body.team.id
  }
  const invite = async (tenant: ApiTenant, teamId: string, body: object): Promise<Answer> =>
    await api.call('POST', `/v1/teams/${teamId}/invite`, { key: tenant.key, body })

  it('need a plan that has them', async () => {
    const tenant = await givenApiTenant(api)
    const refused = await api.call('POST', '/v1/teams', { key: tenant.key, body: { name: 'Research' } })
    expect(seen(refused)).to.deep.equal([402, 'plan_upgrade_required'])
    expect(refused.body.details).to.deep.include({
      current_plan: 'free',
      allowed_plans: ['teams', 'business', 'enterprise'],
    })
  })

  it("plan and seats come from the owner's tenant, never the body", async () => {
    const tenant = await givenOrg()
    const body = { name: 'Rich', plan: 'enterprise', seats_max: 9999, owner_tenant_id: 'ten_other' }
    const made = await api.call('POST', '/v1/teams', { key: tenant.key, body })
    expect(made.body.team).to.include({ plan: 'teams', seats_max: 5, seats_used: 1, owner_tenant_id: tenant.id })
    const changed = await api.call('PATCH', `/v1/orgs/${tenant.id}`, {
      key: tenant.key,
      body: { name: `rich-${randomBytes(4).toString('hex')}`, plan: 'enterprise', seats_max: 9999 },
    })
    expect(changed.body.org).to.include({ plan: 'teams', seats_max: 5 })
    const [row] = await sendSql<{ plan: string }>(db(), 'select plan from tenants where id = $1', [tenant.id])
    expect(row?.plan).to.equal('teams')
  })

  it('are made, renamed and removed, each with a line in the ledger', async () => {
    const tenant = await givenOrg()
    const id = await givenTeam(tenant, 'Ünïcode & Co')
    await expectAudited(op(tenant), 'team.created', id)
    const shown = await api.call('GET', `/v1/teams/${id}`, { key: tenant.key })
    expect(shown.body.team).to.include({ slug: 'unicode-co', role: 'owner', members: 1, source: 'manual' })
    const again = await api.call('POST', '/v1/teams', { key: tenant.key, body: { name: 'x', slug: 'unicode-co' } })
    expect(seen(again)).to.deep.equal([409, 'duplicate'])
    const other = await givenTeam(tenant, 'Other')
    const taken = await api.call('PATCH', `/v1/teams/${other}`, { key: tenant.key, body: { slug: 'unicode-co' } })
    expect(seen(taken)).to.deep.equal([409, 'duplicate'])
    const renamed = await api.call('PATCH', `/v1/teams/${id}`, { key: tenant.key, body: { name: 'Codes' } })
    expect(renamed.body.team).to.include({ name: 'Codes', slug: 'unicode-co' })
    await expectAudited(op(tenant), 'team.updated', id)
    expect(seen(await api.call('PATCH', `/v1/teams/${id}`, { key: tenant.key, body: {} }))).to.deep.equal([
      400,
      'no_fields',
    ])
    expect((await api.call('DELETE', `/v1/teams/${id}`, { key: tenant.key })).status).to.equal(200)
    await expectAudited(op(tenant), 'team.deleted', id)
    expect(seen(await api.call('GET', `/v1/teams/${id}`, { key: tenant.key }))).to.deep.equal([404, 'not_found'])
    const list = await api.call('GET', '/v1/teams', { key: tenant.key })
    expect(list.body.teams.map((team: { id: string }) => team.id)).to.deep.equal([other])
  })

  it('are closed to outsiders and to members of the organisation who are not in them', async () => {
    const tenant = await givenOrg()
    const stranger = await givenOrg()
    const id = await givenTeam(tenant)
    const [colleague, viewer] = [await person(tenant, 'member'), await person(tenant, 'viewer')]
    for (const caller of [{ key: stranger.key }, { headers: colleague.headers }]) {
      expect(seen(await api.call('GET', `/v1/teams/${id}`, caller))).to.deep.equal([403, 'forbidden'])
      expect(seen(await api.call('GET', `/v1/teams/${id}/members`, caller))).to.deep.equal([403, 'forbidden'])
    }
    for (const [method, path, body] of [
      ['PATCH', `/v1/teams/${id}`, { name: 'Mine' }],
      ['DELETE', `/v1/teams/${id}`, undefined],
      ['POST', `/v1/teams/${id}/invite`, { email: newEmail() }],
    ] as const) {
      expect(seen(await api.call(method, path, { key: stranger.key, body })), path).to.deep.equal([403, 'forbidden'])
      const { headers } = colleague
      expect(seen(await api.call(method, path, { headers, body })), path).to.deep.equal([403, 'forbidden'])
      const looker = await api.call(method, path, { headers: viewer.headers, body })
      expect(seen(looker), path).to.deep.equal([403, 'insufficient_scope'])
    }
    expect((await api.call('GET', '/v1/teams', { headers: colleague.headers })).body.teams).to.deep.equal([])
    expect((await api.call('GET', '/v1/teams', { key: stranger.key })).body.teams).to.deep.equal([])
  })

  it('are run by their own admins, who need not be admins of the organisation and cannot invite new people', async () => {
    const tenant = await givenOrg()
    const [lead, colleague] = [await person(tenant, 'member'), await person(tenant, 'viewer')]
    const { headers } = lead
    const made = await api.call('POST', '/v1/teams', { headers, body: { name: 'Own' } })
    expect(made.status, made.text).to.equal(201)
    const own = `/v1/teams/${made.body.team.id}`
    const byOwner = await givenTeam(tenant)
    expect((await invite(tenant, byOwner, { email: lead.member.email, role: 'admin' })).status).to.equal(201)
    for (const path of [own, `/v1/teams/${byOwner}`]) {
      const joined = await api.call('POST', `${path}/invite`, { headers, body: { email: colleague.member.email } })
      expect(joined.body.member_id, joined.text).to.equal(colleague.member.id)
      const row = `${path}/members/${colleague.member.id}`
      expect((await api.call('PATCH', row, { headers, body: { role: 'viewer' } })).status).to.equal(200)
      expect((await api.call('DELETE', row, { headers })).status).to.equal(200)
      expect((await api.call('PATCH', path, { headers, body: { name: 'Renamed' } })).status).to.equal(200)
      const stranger = await api.call('POST', `${path}/invite`, { headers, body: { email: newEmail() } })
      expect(seen(stranger)).to.deep.equal([403, 'insufficient_scope'])
    }
    const members = `/v1/orgs/${tenant.id}/members/${colleague.member.id}`
    expect(seen(await api.call('DELETE', members, { headers }))).to.deep.equal([403, 'insufficient_scope'])
    // Nor where they are but members.
    const role = await api.call('PATCH', `/v1/teams/${byOwner}/members/${lead.member.id}`, {
      key: tenant.key,
      body: { role: 'member' },
    })
    expect(role.status).to.equal(200)
    expect(seen(await api.call('DELETE', `/v1/teams/${byOwner}`, { headers }))).to.deep.equal([403, 'forbidden'])
    const leave = `/v1/teams/${byOwner}/members/${lead.member.id}`
    expect((await api.call('DELETE', leave, { headers })).status).to.equal(200)
    expect(seen(await api.call('GET', `/v1/teams/${byOwner}`, { headers }))).to.deep.equal([403, 'forbidden'])
  })

  it('are left with the keys that one held for them going on without a team', async () => {
    const tenant = await givenOrg()
    const id = await givenTeam(tenant)
    const { member, headers } = await person(tenant, 'admin')
    await invite(tenant, id, { email: member.email })
    const minted = await api.call('POST', '/v1/account/scoped-keys', {
      headers,
      body: { label: 'team', scopes: ['account:read'], team_id: id },
    })
    expect(minted.status, minted.text).to.equal(200)
    const teamOfKey = async () => {
      const listed = await sendSql<{ team_id: string | null }>(
        db(),
        `select team_id from api_keys where tenant_id = $1 and member_id = $2 and kind = 'scoped'`,
        [tenant.id, member.id],
      )
      return listed.map((row) => row.team_id)
    }
    expect(await teamOfKey()).to.deep.equal([id])
    const left = await api.call('DELETE', `/v1/teams/${id}/members/${member.id}`, { key: tenant.key })
    expect(left.status, left.text).to.equal(200)
    expect(await teamOfKey()).to.deep.equal([null])
    expect((await api.call('GET', '/v1/account', { key: minted.body.api_key })).status).to.equal(200)
  })

  it('are as many as the limit says, also when all are made at once', async () => {
    const tenant = await givenOrg()
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        return await api.call('POST', '/v1/teams', { key: tenant.key, body: { name: `Team ${index}` } })
      }),
    )
    expect(answers.filter(({ status }) => status === 201)).to.have.length(4)
    const refused = answers.filter(({ status }) => status !== 201).map(seen)
    expect(refused).to.deep.equal(Array(4).fill([409, 'limit_reached']))
  })

  it('let go of an owner who was shut out of the organisation', async () => {
    const tenant = await givenOrg()
    const id = await givenTeam(tenant)
    const { member } = await person(tenant, 'admin')
    await invite(tenant, id, { email: member.email, role: 'owner' })
    expect(
      (await api.call('DELETE', `/v1/orgs/${tenant.id}/members/${member.id}`, { key: tenant.key })).status,
    ).to.equal(200)
    const gone = await api.call('DELETE', `/v1/teams/${id}/members/${member.id}`, { key: tenant.key })
    expect(gone.status, gone.text).to.equal(200)
  })

  it('keep an owner, and members change only roles up to their own', async () => {
    const tenant = await givenOrg()
    const id = await givenTeam(tenant)
    const owner = await findOwner(op(tenant))
    const admin = await person(tenant, 'admin')
    const path = (memberId: string) => `/v1/teams/${id}/members/${memberId}`
    const last = await api.call('PATCH', path(owner.id), { key: tenant.key, body: { role: 'member' } })
    expect(seen(last)).to.deep.equal([409, 'last_owner'])
    expect(seen(await api.call('DELETE', path(owner.id), { key: tenant.key }))).to.deep.equal([409, 'last_owner'])
    const reach = await api.call('PATCH', path(owner.id), { headers: admin.headers, body: { role: 'viewer' } })
    expect(seen(reach)).to.deep.equal([403, 'forbidden'])

    // Who is in the organisation joins without a mail and without a seat of their own.
    const joined = await invite(tenant, id, { email: admin.member.email, role: 'member' })
    expect(joined.body).to.deep.include({ invitation: null, member_id: admin.member.id })
    await expectAudited(op(tenant), 'team.member_added', admin.member.id)
    const greedy = await api.call('PATCH', path(admin.member.id), { headers: admin.headers, body: { role: 'owner' } })
    expect(seen(greedy)).to.deep.equal([403, 'forbidden'])
    const raised = await api.call('PATCH', path(admin.member.id), { key: tenant.key, body: { role: 'owner' } })
    expect(raised.body.role).to.equal('owner')
    await expectAudited(op(tenant), 'team.member_role_changed', admin.member.id)
    expect((await api.call('DELETE', path(owner.id), { key: tenant.key })).status).to.equal(200)
    await expectAudited(op(tenant), 'team.member_removed', owner.id)
    const members = await api.call('GET', `/v1/teams/${id}/members`, { key: tenant.key })
    expect(members.body.members.map((row: { member_id: string }) => row.member_id)).to.deep.equal([admin.member.id])
  })
})

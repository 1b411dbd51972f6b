import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Role } from '../../../../core/accounts/roles.ts'
import type { Member } from '../../../../db/accounts/members/member.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../../../support/people/given-members.ts'
import { mailedInvitation } from '../../../support/mail/mailed-tokens.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.test`
const seen = ({ status, body }: Answer): readonly unknown[] => [status, body.code]

describe('invitations to teams', () => {
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

  it('are mailed, shown to the holder of the token, accepted once, and open a session', async () => {
    const tenant = await givenOrg()
    const id = await givenTeam(tenant)
    const email = newEmail()
    const invited = await invite(tenant, id, { email: email.toUpperCase(), role: 'admin' })
    expect(invited.status, invited.text).to.equal(201)
    expect(invited.body.invitation).to.include({ email, role: 'admin' })
    await expectAudited(op(tenant), 'invitation.created', invited.body.invitation.id)
    const token = await mailedInvitation(db(), email)
    expect(invited.text).not.to.contain(token)
    const list = await api.call('GET', `/v1/orgs/${tenant.id}/invites`, { key: tenant.key })
    expect(list.body.invitations[0]).to.include({ email, state: 'open', team_id: id })
    expect(list.text).not.to.contain(token)

    const shown = await api.call('GET', `/v1/teams/invites/${token}`)
    expect(shown.body).to.deep.include({ email, role: 'admin', team: { id, name: 'Research' } })
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    const lured = await api.call('POST', `/v1/teams/invites/${token}/accept`, { headers: foreign })
    expect(seen(lured)).to.deep.equal([403, 'csrf_rejected'])
    const accepted = await api.call('POST', `/v1/teams/invites/${token}/accept`)
    expect(accepted.status, accepted.text).to.equal(200)
    expect(accepted.body.org.id).to.equal(tenant.id)
    await expectAudited(op(tenant), 'invitation.accepted', invited.body.invitation.id)
    await expectAudited(op(tenant), 'member.added', accepted.body.member.id)

    const cookie = accepted.headers.get('set-cookie')?.split(';')[0] ?? ''
    const mine = await api.call('GET', `/v1/teams/${id}`, { headers: { cookie } })
    expect(mine.body.team).to.include({ role: 'admin', members: 2, seats_used: 2 })
    const people = await api.call('GET', `/v1/orgs/${tenant.id}/members`, { key: tenant.key })
    const row = people.body.members.find((member: { email: string }) => member.email === email)
    expect(row).to.include({ role: 'member', source: 'invitation', email_verified: true })

    for (const [method, path] of [
      ['GET', `/v1/teams/invites/${token}`],
      ['POST', `/v1/teams/invites/${token}/accept`],
    ] as const) {
      expect(seen(await api.call(method, path)), path).to.deep.equal([410, 'invitation_expired'])
    }
    expect(seen(await api.call('GET', `/v1/teams/invites/${'A'.repeat(43)}`))).to.deep.equal([404, 'not_found'])
  })

  it('reserve seats, exactly as many as there are, also when all are sent at once', async () => {
    const tenant = await givenOrg()
    const id = await givenTeam(tenant)
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => await invite(tenant, id, { email: newEmail() })),
    )
    expect(answers.filter(({ status }) => status === 201)).to.have.length(4)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ body }) => body.code)).to.deep.equal(Array(8).fill('seat_limit'))
    expect(refused[0]?.status).to.equal(402)
    const first = answers.find(({ status }) => status === 201)?.body.invitation.id
    expect((await api.call('DELETE', `/v1/teams/invites/${first}`, { key: tenant.key })).status).to.equal(200)
    await expectAudited(op(tenant), 'invitation.revoked', first)
    expect((await invite(tenant, id, { email: newEmail() })).status).to.equal(201)
  })

  it('are accepted by one of many at once, and not at all when they are old, revoked or out of seats', async () => {
    const tenant = await givenOrg()
    const id = await givenTeam(tenant)
    const accept = async (token: string) => await api.call('POST', `/v1/teams/invites/${token}/accept`)
    const email = newEmail()
    const { body } = await invite(tenant, id, { email })
    expect(seen(await invite(tenant, id, { email }))).to.deep.equal([409, 'duplicate'])
    const token = await mailedInvitation(db(), email)
    const many = await Promise.all(Array.from({ length: 6 }, async () => await accept(token)))
    expect(many.filter(({ status }) => status === 200)).to.have.length(1)
    expect(many.filter(({ status }) => status === 410)).to.have.length(5)
    expect(seen(await invite(tenant, id, { email }))).to.deep.equal([409, 'duplicate'])
    expect((await api.call('DELETE', `/v1/teams/invites/${body.invitation.id}`, { key: tenant.key })).status).to.equal(
      200,
    )

    const old = newEmail()
    await invite(tenant, id, { email: old })
    await sendSql(db(), `update invitations set expires_at = now() - interval '1 second' where email = $1`, [old])
    expect((await accept(await mailedInvitation(db(), old))).body.details).to.deep.equal({ state: 'expired' })
    // An expired invitation holds no seat and blocks no other invitation.
    expect((await invite(tenant, id, { email: old })).status).to.equal(201)

    await givenPlan(db(), tenant.id, 'free')
    expect(seen(await accept(await mailedInvitation(db(), old)))).to.deep.equal([402, 'seat_limit'])
    await givenPlan(db(), tenant.id, 'teams')
    expect((await accept(await mailedInvitation(db(), old))).status).to.equal(200)
  })

  it('take no two mailboxes for one address', async () => {
    const tenant = await givenOrg()
    const refused = await invite(tenant, await givenTeam(tenant), { email: 'mar\u212A@example.test' })
    expect([...seen(refused), refused.body.details.fields[0].field]).to.deep.equal([400, 'validation_failed', 'email'])
  })

  it('cannot be sent without a mail server, by narrow keys, or for a role above that of the caller', async () => {
    const tenant = await givenOrg()
    const id = await givenTeam(tenant)
    const admin = await person(tenant, 'admin')
    const body = { email: newEmail(), role: 'owner' }
    const greedy = await api.call('POST', `/v1/teams/${id}/invite`, { headers: admin.headers, body })
    expect(seen(greedy)).to.deep.equal([403, 'forbidden'])
    const org = await api.call('POST', `/v1/orgs/${tenant.id}/invites`, { key: tenant.key, body })
    expect(seen(org)).to.deep.equal([403, 'forbidden'])
    const member = await person(tenant, 'member')
    const narrow = await api.call('POST', `/v1/orgs/${tenant.id}/invites`, {
      headers: member.headers,
      body: { email: newEmail() },
    })
    expect(seen(narrow)).to.deep.equal([403, 'insufficient_scope'])
  })
})

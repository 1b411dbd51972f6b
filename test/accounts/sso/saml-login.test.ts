import { expect } from 'chai'
import { expectAudited } from '../../support/db/audit.ts'
import { givenApiTenant, type ApiTenant } from '../../support/api.ts'
import { findOwner, givenMember, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { SamlIdp } from '../../support/identity/saml-idp.ts'
import { deactivateMember } from '../../../db/accounts/members/deactivate-member.ts'
import {
  configureSaml,
  cookieOf,
  departToSaml,
  givenBusiness,
  postResponse,
  signInBySaml,
  useSsoServer,
} from '../../support/identity/sso.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

/** Asks until the answer has this status: processes are notified a moment after a change. */
async function until(status: number, ask: () => Promise<number>): Promise<void> {
  while ((await ask()) !== status) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('single sign-on by SAML', () => {
  const server = useSsoServer({ settings: { isMailConfigured: true } })
  const { api, database } = server
  const operationOf = (tenant: ApiTenant) => setUpOperation(database.db, tenant.id)
  const asBrowser = (cookie: string) => ({ headers: { cookie, 'sec-fetch-site': 'same-origin' } })

  it('signs a new person in as a member, with a session of their own', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp, { default_role: 'viewer' })
    const { request, cookie } = await departToSaml(server, tenant, idp, '/console/#/jobs')
    const answer = await postResponse(server, idp.answer(request, { attributes: { displayName: ['Ada'] } }), { cookie })
    expect(answer.status, answer.text).to.equal(302)
    expect(answer.headers.get('location')).to.equal('/console/#/jobs')
    const session = cookieOf(answer, 'svc_session')
    expect(session).not.to.equal('')
    const who = await api.call('GET', '/v1/whoami', asBrowser(session))
    expect(who.status, who.text).to.equal(200)
    const [member] = await sendSql<{ id: string; role: string; source: string; is_email_verified: boolean }>(
      database.db,
      `select id, role, source, is_email_verified from members where tenant_id = $1 and email = 'ada@example.test'`,
      [tenant.id],
    )
    // What only the tenant's own provider vouches for is no proof to other tenants.
    expect(member).to.include({ role: 'viewer', source: 'saml', is_email_verified: false })
    await expectAudited(operationOf(tenant), 'saml.assertion_consumed', member?.id)
    await expectAudited(operationOf(tenant), 'identity.linked', member?.id)
    await expectAudited(operationOf(tenant), 'identity.configured', tenant.id)
    expect((await api.call('POST', '/v1/compile', { ...asBrowser(session), body: {} })).status).to.equal(403)
  })

  it('knows a person again by the name of the provider, whatever the address says by then', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    const attributes = (email: string) => ({ nameId: 'u-1', attributes: { email: [email] } })
    expect((await signInBySaml(server, tenant, idp, attributes('one@example.test'))).status).to.equal(302)
    expect((await signInBySaml(server, tenant, idp, attributes('two@example.test'))).status).to.equal(302)
    const members = await sendSql<{ email: string }>(
      database.db,
      `select email from members where tenant_id = $1 and role <> 'owner'`,
      [tenant.id],
    )
    expect(members).to.deep.equal([{ email: 'one@example.test' }])
    const taken = await signInBySaml(server, tenant, idp, {
      nameId: 'u-2',
      attributes: { email: ['one@example.test'] },
    })
    expect(taken.status).to.equal(403)
    expect(taken.body.code).to.equal('account_link_required')
  })

  it('gives the role of a group, and takes it away with the group', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp, { group_roles: { Ops: 'admin' }, default_role: 'viewer' })
    const roleAfter = async (groups: readonly string[] | null) => {
      const attributes = groups === null ? {} : { groups }
      expect((await signInBySaml(server, tenant, idp, { attributes })).status).to.equal(302)
      const [row] = await sendSql<{ role: string }>(
        database.db,
        `select role from members where tenant_id = $1 and email = 'ada@example.test'`,
        [tenant.id],
      )
      return row?.role
    }
    expect(await roleAfter(['Staff', 'Ops'])).to.equal('admin')
    expect(await roleAfter(['Staff'])).to.equal('viewer')
    await expectAudited(operationOf(tenant), 'member.role_changed')
    // Providers leave the attribute out for those who are in no group any more.
    expect(await roleAfter(['Ops'])).to.equal('admin')
    expect(await roleAfter(null)).to.equal('viewer')
    const owner = await api.call('POST', '/v1/account/sso/configure', {
      key: tenant.key,
      body: { group_roles: { owner: 'owner' } },
    })
    expect(owner.status).to.equal(400)
  })

  it('forgets the names of a provider that was replaced', async () => {
    const tenant = await givenBusiness(server)
    const [one, two] = [new SamlIdp(), new SamlIdp()]
    await configureSaml(server, tenant, one)
    const called = (nameId: string, email: string) => ({ nameId, attributes: { email: [email] } })
    expect((await signInBySaml(server, tenant, one, called('1', 'ada@example.test'))).status).to.equal(302)
    await configureSaml(server, tenant, two)
    await expectAudited(operationOf(tenant), 'identity.unlinked', tenant.id)
    // The new provider gives this name to another person, and another name to the first person.
    expect((await signInBySaml(server, tenant, two, called('1', 'bob@example.test'))).status).to.equal(302)
    expect((await signInBySaml(server, tenant, two, called('2', 'ada@example.test'))).status).to.equal(302)
    const people = await sendSql<{ subject: string; email: string }>(
      database.db,
      `select e.subject, m.email from external_identities e join members m on m.id = e.member_id
       where e.tenant_id = $1 order by e.subject`,
      [tenant.id],
    )
    expect(people).to.deep.equal([
      { subject: '1', email: 'bob@example.test' },
      { subject: '2', email: 'ada@example.test' },
    ])
  })

  it('ends the sessions that a provider opened with the provider, and no others', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    const sessionOf = async () => asBrowser(cookieOf(await signInBySaml(server, tenant, idp), 'svc_session'))
    const whoIs = async (browser: object) => (await api.call('GET', '/v1/whoami', browser)).status
    const first = await sessionOf()
    const owner = await givenSession(database.db, await findOwner(operationOf(tenant)))
    // Another certificate of the same provider is no other provider.
    await configureSaml(server, tenant, new SamlIdp(idp.entityId))
    expect(await whoIs(first)).to.equal(200)
    await configureSaml(server, tenant, idp, { enabled: false })
    await until(401, async () => await whoIs(first))
    await configureSaml(server, tenant, idp, { enabled: true })
    const second = await sessionOf()
    expect(await whoIs(second)).to.equal(200)
    await configureSaml(server, tenant, new SamlIdp())
    await until(401, async () => await whoIs(second))
    expect(await whoIs({ headers: { ...owner.headers } })).to.equal(200)
  })

  it('lets a person return under another name after an admin has removed them', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    const called = (nameId: string) => ({ nameId, attributes: { email: ['ada@example.test'] } })
    expect((await signInBySaml(server, tenant, idp, called('1'))).status).to.equal(302)
    expect((await signInBySaml(server, tenant, idp, called('2'))).body.code).to.equal('account_link_required')
    const op = operationOf(tenant)
    const [member] = await sendSql<{ id: string }>(
      database.db,
      `select id from members where tenant_id = $1 and email = 'ada@example.test'`,
      [tenant.id],
    )
    const removed = await api.call('DELETE', `/v1/orgs/${tenant.id}/members/${member?.id}`, { key: tenant.key })
    expect(removed.status, removed.text).to.equal(200)
    await expectAudited(op, 'identity.unlinked', member?.id)
    // They come back by being asked again, not by signing in.
    expect((await signInBySaml(server, tenant, idp, called('2'))).body.code).to.equal('forbidden')
    const back = await givenMember(op, { role: 'member', email: 'ada@example.test' })
    expect(back.id).to.equal(member?.id)
    expect((await signInBySaml(server, tenant, idp, called('2'))).status).to.equal(302)
  })

  it('does not sign an owner in, whom only his own key or mail lets in', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    const { email } = await findOwner(operationOf(tenant))
    const answer = await signInBySaml(server, tenant, idp, { nameId: email })
    expect(answer.status).to.equal(403)
    expect(answer.body.code).to.equal('account_link_required')
    expect(cookieOf(answer, 'svc_session')).to.equal('')
  })

  it('makes no session of the provider an owner’s, and tells it nothing of other organisations', async () => {
    const [tenant, elsewhere] = [await givenBusiness(server), await givenBusiness(server)]
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    const email = 'heir@example.test'
    const heir = await givenMember(operationOf(tenant), { role: 'member', email })
    await givenMember(operationOf(elsewhere), { role: 'viewer', email })
    const bySaml = asBrowser(cookieOf(await signInBySaml(server, tenant, idp, { nameId: email }), 'svc_session'))
    const byMail = { headers: { ...(await givenSession(database.db, heir)).headers } }
    const orgs = async (browser: object) => (await api.call('GET', '/v1/orgs', browser)).body.orgs ?? []
    expect(await orgs(bySaml)).to.have.length(1)
    expect(await orgs(byMail)).to.have.length(2)
    const handed = await api.call('POST', `/v1/orgs/${tenant.id}/transfer-owner`, {
      key: tenant.key,
      body: { member_id: heir.id },
    })
    expect(handed.status, handed.text).to.equal(200)
    expect((await api.call('GET', '/v1/orgs', bySaml)).status).to.equal(401)
    expect((await api.call('GET', '/v1/orgs', byMail)).body.orgs[0].role).to.equal('owner')
  })

  it('refuses a person who was deactivated, is of another domain, or may not be made a member', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp, { domains: ['Example.test'], jit_provisioning: false })
    const op = operationOf(tenant)
    const known = await givenMember(op, { role: 'member', email: 'known@example.test' })
    expect((await signInBySaml(server, tenant, idp, { nameId: 'known@example.test' })).status).to.equal(302)
    expect((await signInBySaml(server, tenant, idp, { nameId: 'new@example.test' })).status).to.equal(403)
    expect((await signInBySaml(server, tenant, idp, { nameId: 'known@elsewhere.test' })).status).to.equal(403)
    await tenantOf(database.db, tenant.id).write(async (tx) => await deactivateMember(tx, op, known.id))
    expect((await signInBySaml(server, tenant, idp, { nameId: 'known@example.test' })).status).to.equal(403)
  })

  it('takes a seat, and refuses when none is left', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    for (let index = 1; index < 14; index++) await givenMember(operationOf(tenant), { role: 'viewer' })
    // The last seat is reserved for an invited person, however they sign in.
    const asked = await api.call('POST', `/v1/orgs/${tenant.id}/invites`, {
      key: tenant.key,
      body: { email: 'asked@example.test' },
    })
    expect(asked.status, asked.text).to.equal(201)
    const answer = await signInBySaml(server, tenant, idp)
    expect(answer.status).to.equal(402)
    expect(answer.body.code).to.equal('seat_limit')
    expect((await signInBySaml(server, tenant, idp, { nameId: 'asked@example.test' })).status).to.equal(302)
    const org = await api.call('GET', `/v1/orgs/${tenant.id}`, { key: tenant.key })
    expect(org.body.org.seats_used).to.equal(15)
  })

  it('answers JSON to those who send it, and sends people to the front page with the code', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    const { request, cookie } = await departToSaml(server, tenant, idp)
    const answer = await api.call('POST', '/v1/account/saml/acs', {
      body: { SAMLResponse: idp.answer(request), RelayState: `tenant:${tenant.id}` },
      headers: { cookie },
    })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.deep.include({
      ok: true,
      email: 'ada@example.test',
      name_id: 'ada@example.test',
      redirect: '/',
    })
    expect(answer.body.session_id).to.match(/^ses_/)
    const again = await postResponse(server, idp.answer(request), { cookie, headers: { accept: 'text/html,*/*' } })
    expect(again.status).to.equal(302)
    expect(again.headers.get('location')).to.equal('/?oauth_error=saml_response_refused')
  })

  it('returns to no other site', async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    for (const path of ['//evil.test', 'https://evil.test/', '/\\evil.test', 'javascript:alert(1)']) {
      const { request, cookie } = await departToSaml(server, tenant, idp, path)
      const answer = await postResponse(server, idp.answer(request), { cookie })
      expect(answer.headers.get('location'), path).to.equal('/')
    }
  })

  it('tells outsiders nothing of organisations without single sign-on, not even that they are there', async () => {
    const free = await givenApiTenant(api)
    const bare = await givenBusiness(server)
    const oidcOnly = await givenBusiness(server)
    await sendSql(
      database.db,
      `insert into sso_configs (tenant_id, provider, is_enabled, domains, idp_certs, oidc_issuer, oidc_client_id,
         default_role, is_jit, group_roles, is_scim_enabled, created_at, updated_at)
       values ($1, 'oidc-generic', true, '[]', '[]', 'https://o.example.test', 'c', 'member', true, '{}', true, now(), now())`,
      [oidcOnly.id],
    )
    const response = Buffer.from('<Response/>').toString('base64')
    const cases: readonly (readonly [string, number, string])[] = [
      ['tenant:ten_unknown', 404, 'sso_tenant_not_resolved'],
      [`tenant:${free.id}`, 404, 'sso_tenant_not_resolved'],
      [`tenant:${bare.id}`, 404, 'sso_tenant_not_resolved'],
      [`tenant:${oidcOnly.id}`, 503, 'saml_not_configured'],
    ]
    for (const [relayState, status, code] of cases) {
      const answer = await postResponse(server, response, { relayState })
      expect([answer.status, answer.body.code], relayState).to.deep.equal([status, code])
    }
    expect((await postResponse(server, response)).status).to.equal(404)
    expect((await api.call('POST', '/v1/account/saml/acs', { body: {} })).status).to.equal(400)
    expect((await api.call('GET', '/v1/sso/unknown/start')).status).to.equal(404)
    const unknown = await api.call('GET', '/v1/sso/unknown/start')
    for (const { id } of [free, bare]) {
      const answer = await api.call('GET', `/v1/sso/${id}/start`)
      expect([answer.status, answer.body.error]).to.deep.equal([404, unknown.body.error])
    }
  })
})

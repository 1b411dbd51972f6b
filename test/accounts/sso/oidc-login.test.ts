import { expect } from 'chai'
import type { Answer, ApiTenant } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { openBrowser } from '../../support/pages/browser.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { startOpenIdProvider, type OpenIdPerson, type OpenIdProvider } from '../../support/identity/openid-provider.ts'
import { cookieOf, givenBusiness, useSsoServer } from '../../support/identity/sso.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const HOST = 'service.test'
const CLIENT = { clientId: 'svc', clientSecret: 'secret of the client at the provider' }
const MINUTE_MS = 60_000

describe('single sign-on by OpenID Connect', () => {
  let provider: OpenIdProvider
  let time = Date.now()
  const server = useSsoServer({ settings: { publicUrl: `https://${HOST}` }, now: () => new Date(time) })
  const { api, database } = server
  before(async () => {
    const redirectUris = [`https://${HOST}/v1/sso/*/callback`]
    provider = await startOpenIdProvider({ ...CLIENT, redirectUris }, { sub: 'unset' })
  })
  after(async () => await provider.close())

  const configure = async (tenant: ApiTenant, more: Readonly<Record<string, unknown>> = {}) =>
    await api.call('POST', '/v1/account/sso/configure', {
      key: tenant.key,
      body: {
        provider: 'oidc-generic',
        oidc_issuer: provider.issuer,
        oidc_client_id: CLIENT.clientId,
        oidc_client_secret: CLIENT.clientSecret,
        ...more,
      },
    })
  const givenOidc = async (more: Readonly<Record<string, unknown>> = {}): Promise<ApiTenant> => {
    const tenant = await givenBusiness(server)
    const answer = await configure(tenant, more)
    if (answer.status !== 200) throw new Error(`configure answered ${answer.status}: ${answer.text}`)
    return tenant
  }
  /** Leaves for the provider; answers what the browser has and where it is sent back to. */
  const leave = async (tenant: ApiTenant, redirect = '/console/') => {
    const start = await api.call('GET', `/v1/sso/${tenant.id}/start?redirect=${encodeURIComponent(redirect)}`)
    expect(start.status, start.text).to.equal(302)
    expect(start.headers.getSetCookie().join()).to.match(/svc_sso=.*HttpOnly; SameSite=None; Secure/)
    const location = start.headers.get('location') ?? ''
    return { location, cookie: cookieOf(start, 'svc_sso'), back: await openBrowser().follow(location, HOST) }
  }
  const comeBack = async (back: URL, cookie: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    await api.call('GET', back.pathname + back.search, {
      headers: { cookie, 'sec-fetch-site': 'cross-site', ...headers },
    })
  const signIn = async (tenant: ApiTenant, person: OpenIdPerson): Promise<Answer> => {
    provider.person = person
    const { back, cookie } = await leave(tenant)
    return await comeBack(back, cookie)
  }
  const grace = { sub: 'p-1', email: 'Grace@example.test', email_verified: true, name: 'Grace Hopper' }

  it('signs a person in whose address the provider verified', async () => {
    const tenant = await givenOidc({ default_role: 'viewer' })
    provider.person = grace
    const { location, back, cookie } = await leave(tenant)
    const asked = new URL(location).searchParams
    expect(asked.get('code_challenge_method')).to.equal('S256')
    expect(asked.get('nonce')).to.be.a('string')
    expect(asked.get('redirect_uri')).to.equal(`https://${HOST}/v1/sso/${tenant.id}/callback`)
    const status = await api.call('GET', '/v1/account/sso/status', { key: tenant.key })
    expect(status.body.oidc_redirect_uri).to.equal(asked.get('redirect_uri'))
    const answer = await comeBack(back, cookie)
    expect(answer.status, answer.text).to.equal(302)
    expect(answer.headers.get('location')).to.equal('/console/')
    const who = await api.call('GET', '/v1/whoami', { headers: { cookie: cookieOf(answer, 'svc_session') } })
    expect(who.status, who.text).to.equal(200)
    const [member] = await sendSql<{ id: string; email: string; role: string; source: string }>(
      database.db,
      `select id, email, role, source from members where tenant_id = $1 and role <> 'owner'`,
      [tenant.id],
    )
    expect(member).to.include({ email: 'grace@example.test', role: 'viewer', source: 'oidc' })
    await expectAudited(setUpOperation(database.db, tenant.id), 'oidc.login', member?.id)
  })

  it('pins the subject, and takes no address that is not verified or of another domain', async () => {
    const tenant = await givenOidc({ domains: ['example.test'] })
    expect((await signIn(tenant, grace)).status).to.equal(302)
    expect((await signIn(tenant, { ...grace, email: 'new@example.test' })).status).to.equal(302)
    const other = await signIn(tenant, { ...grace, sub: 'p-2' })
    expect([other.status, other.body.code]).to.deep.equal([403, 'account_link_required'])
    const unverified = { sub: 'p-3', email: 'eve@example.test', email_verified: false }
    expect((await signIn(tenant, unverified)).status).to.equal(403)
    expect((await signIn(tenant, { sub: 'p-4' })).status).to.equal(403)
    // The Kelvin sign, whose lower case is a k: another mailbox.
    const likeness = { sub: 'p-6', email: 'mar\u212A@example.test', email_verified: true }
    expect((await signIn(tenant, likeness)).status).to.equal(403)
    const elsewhere = { sub: 'p-5', email: 'eve@elsewhere.test', email_verified: true }
    expect((await signIn(tenant, elsewhere)).status).to.equal(403)
    const members = await sendSql(database.db, 'select 1 from members where tenant_id = $1', [tenant.id])
    expect(members).to.have.length(2)
  })

  it('gives roles by groups of the ID token', async () => {
    const tenant = await givenOidc({ group_roles: { ops: 'admin' }, default_role: 'viewer' })
    const roleWith = async (groups: readonly string[]) => {
      expect((await signIn(tenant, { ...grace, groups })).status).to.equal(302)
      const [row] = await sendSql<{ role: string }>(
        database.db,
        `select role from members where tenant_id = $1 and email = 'grace@example.test'`,
        [tenant.id],
      )
      return row?.role
    }
    expect(await roleWith(['ops'])).to.equal('admin')
    expect(await roleWith(['staff', 'owner'])).to.equal('viewer')
  })

  it('takes an answer once, in the browser that asked, and in time', async () => {
    const tenant = await givenOidc()
    provider.person = grace
    const expectRefused = (answer: Answer) => {
      expect([answer.status, answer.body.code], answer.text).to.deep.equal([401, 'oidc_response_refused'])
      expect(cookieOf(answer, 'svc_session')).to.equal('')
    }
    const first = await leave(tenant)
    expectRefused(await comeBack(first.back, ''))
    const other = await leave(tenant)
    expectRefused(await comeBack(first.back, other.cookie))
    expect((await comeBack(first.back, first.cookie)).status).to.equal(302)
    expectRefused(await comeBack(first.back, first.cookie))
    // A code of one sign-in under the state of another: PKCE and nonce belong to the other.
    const third = await leave(tenant)
    const mixed = new URL(third.back)
    mixed.searchParams.set('code', other.back.searchParams.get('code') ?? '')
    expectRefused(await comeBack(mixed, third.cookie))
    const denied = await leave(tenant)
    const refusal = new URL(denied.back)
    refusal.searchParams.delete('code')
    refusal.searchParams.set('error', 'access_denied')
    expectRefused(await comeBack(refusal, denied.cookie))
    const late = await leave(tenant)
    time += 11 * MINUTE_MS
    expectRefused(await comeBack(late.back, late.cookie))
    const page = await comeBack(late.back, late.cookie, { accept: 'text/html' })
    expect(page.headers.get('location')).to.equal('/?oauth_error=oidc_response_refused')
  })

  it('a sign-in at one tenant is none at another that has the same provider', async () => {
    const one = await givenOidc()
    const two = await givenOidc()
    expect((await signIn(one, grace)).status).to.equal(302)
    const members = await sendSql(
      database.db,
      `select 1 from members where tenant_id = $1 and email = 'grace@example.test'`,
      [two.id],
    )
    expect(members).to.deep.equal([])
  })

  it('sends no code of one provider to another: an answer comes back to the organisation that asked', async () => {
    const [honest, evil] = [await givenOidc(), await givenOidc()]
    provider.person = grace
    const attacker = await leave(honest)
    const victim = await leave(evil)
    // The evil provider sends its visitor on to the honest one, with the question of the attacker's own sign-in there.
    const lure = new URL(attacker.location)
    lure.searchParams.set('state', victim.back.searchParams.get('state') ?? '')
    const back = await openBrowser().follow(lure.href, HOST)
    expect(back.pathname).to.equal(`/v1/sso/${honest.id}/callback`)
    const askedBefore = provider.asked.length
    const answer = await comeBack(back, victim.cookie)
    expect([answer.status, answer.body.code], answer.text).to.deep.equal([401, 'oidc_response_refused'])
    expect(provider.asked.slice(askedBefore)).to.deep.equal([])
  })

  it('asks for what a provider publishes once for many sign-ins, and for its keys when one is new', async () => {
    const tenant = await givenOidc()
    expect((await signIn(tenant, grace)).status).to.equal(302)
    const published = () =>
      provider.asked.filter((path) => path === '/jwks' || path === '/.well-known/openid-configuration')
    const first = published()
    expect((await signIn(tenant, grace)).status).to.equal(302)
    expect(published()).to.deep.equal(first)
    provider.changeKeys()
    // Keys that were asked for within the last minute are not asked for again.
    const { now } = Date
    Date.now = () => now() + 2 * MINUTE_MS
    try {
      expect((await signIn(tenant, grace)).status).to.equal(302)
    } finally {
      Date.now = now
    }
    expect(published()).to.deep.equal([...first, '/jwks'])
  })

  it('makes no members of the whole world: an issuer for all organisations needs domains', async () => {
    for (const issuer of ['https://accounts.google.com', 'https://login.microsoftonline.com/common/v2.0']) {
      const answer = await configure(await givenBusiness(server), { oidc_issuer: issuer })
      expect([answer.status, answer.body.code]).to.deep.equal([400, 'invalid_identity_config'])
      expect(answer.body.details.fields[0].field).to.equal('domains')
    }
  })

  it('asks the provider when it is configured, keeps its secret sealed, and never shows it', async () => {
    const tenant = await givenBusiness(server)
    const answer = await configure(tenant)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.config).to.include({
      protocol: 'oidc',
      oidc_issuer: provider.issuer,
      oidc_client_secret_set: true,
    })
    expect(answer.text).not.to.include(CLIENT.clientSecret)
    const [row] = await sendSql<{ sealed: Buffer }>(
      database.db,
      'select sealed_client_secret as sealed from sso_configs where tenant_id = $1',
      [tenant.id],
    )
    expect(row?.sealed.includes(Buffer.from(CLIENT.clientSecret))).to.equal(false)
    const unreachable = await configure(await givenBusiness(server), { oidc_issuer: 'http://127.0.0.1:1' })
    expect([unreachable.status, unreachable.body.code]).to.deep.equal([502, 'identity_provider_failed'])
    const file = await configure(await givenBusiness(server), { oidc_issuer: 'file:///etc/passwd' })
    expect(file.status).to.equal(400)
  })

  const guarded = useSsoServer({ settings: { allowsPrivateEgress: false } })
  it('refuses providers inside the network by default', async () => {
    const tenant = await givenBusiness(guarded)
    const answer = await guarded.api.call('POST', '/v1/account/sso/configure', {
      key: tenant.key,
      body: { provider: 'oidc-generic', oidc_issuer: 'https://127.0.0.1:8443', oidc_client_id: 'svc' },
    })
    expect([answer.status, answer.body.details?.fields?.[0]?.field], answer.text).to.deep.equal([400, 'oidc_issuer'])
  })
})

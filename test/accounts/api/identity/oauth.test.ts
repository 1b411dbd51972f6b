import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { startServer } from '../../../../api/server.ts'
import { call, NO_TEMPORAL, serverOptions, useApi, type Answer } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { openBrowser } from '../../../support/pages/browser.ts'
import { startGithubServer, type GithubServer } from '../../../support/identity/github-server.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../../../support/people/given-members.ts'
import { mailedToken } from '../../../support/mail/mails.ts'
import { startOpenIdProvider, type OpenIdProvider } from '../../../support/identity/openid-provider.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

const HOST = 'service.test'
const PUBLIC_URL = `https://${HOST}`
const CLIENT = { clientId: 'svc', clientSecret: 'secret of the client at the provider' }
const MINUTE_MS = 60_000

const newAddress = () => `${randomBytes(8).toString('hex')}@example.test`
let people = 1000

describe('sign-in through another provider', () => {
  let google: OpenIdProvider
  let github: GithubServer
  let time = Date.now()
  const database = useDatabase()
  before(async () => {
    const redirectUris = [`${PUBLIC_URL}/v1/oauth/google/callback`]
    google = await startOpenIdProvider({ ...CLIENT, redirectUris }, { sub: 'unset' })
    github = await startGithubServer({ id: 1, login: 'unset', emails: [] })
  })
  after(async () => {
    await google.close()
    await github.close()
  })
  const api = useApi({
    settings: {
      publicUrl: PUBLIC_URL,
      isMailConfigured: true,
      // Read when the server starts: only then do the providers listen.
      get oauth() {
        const { clientId, clientSecret, url, apiUrl } = github
        return { google: { ...CLIENT, issuer: google.issuer }, github: { clientId, clientSecret, url, apiUrl } }
      },
    },
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    now: () => new Date(time),
  })

  const cookieOf = (answer: Answer, name: string): string => {
    const line = answer.headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`))
    return line?.split(';')[0] ?? ''
  }
  /** Leaves for the provider and answers where the browser is sent back to, and its cookie. */
  const leave = async (provider: 'google' | 'github', redirect?: string) => {
    const asked = redirect === undefined ? '' : `?redirect=${encodeURIComponent(redirect)}`
    const start = await api.call('GET', `/v1/oauth/${provider}/start${asked}`)
    expect(start.status, start.text).to.equal(302)
    expect(start.headers.get('cache-control')).to.equal('no-store')
    const location = start.headers.get('location') ?? ''
    return { location, cookie: cookieOf(start, 'svc_login'), back: await openBrowser().follow(location, HOST) }
  }
  const comeBack = async (back: URL, cookie: string, headers: Readonly<Record<string, string>> = {}) =>
    await api.call('GET', back.pathname + back.search, {
      headers: { cookie, 'sec-fetch-site': 'cross-site', ...headers },
    })
  const signIn = async (provider: 'google' | 'github', redirect?: string) => {
    const { back, cookie } = await leave(provider, redirect)
    return await comeBack(back, cookie)
  }
  const whoami = async (answer: Answer) =>
    await api.call('GET', '/v1/whoami', { headers: { cookie: cookieOf(answer, 'svc_session') } })
  const asGoogle = (more: object = {}) => {
    const email = newAddress()
    google.person = { sub: `person-${people++}`, email, email_verified: true, name: 'Ada Lovelace', ...more }
    return email
  }
  const asGithub = (emails?: GithubServer['person']['emails']) => {
    const email = newAddress()
    const id = people++
    github.person = { id, login: `coder-${id}`, emails: emails ?? [{ email, primary: true, verified: true }] }
    return email
  }
  const errorOf = (answer: Answer) =>
    new URL(answer.headers.get('location') ?? '', PUBLIC_URL).searchParams.get('oauth_error')
  const signUp = async (email: string) => {
    const answer = await api.call('POST', '/v1/signup', { body: { email } })
    expect(answer.status, answer.text).to.equal(201)
    return { id: String(answer.body.tenant.id), key: String(answer.body.api_key) }
  }

  it('names the providers that can be used', async () => {
    const { body } = await api.call('GET', '/v1/oauth/providers')
    expect(body.providers).to.deep.equal([
      { id: 'google', label: 'Google', configured: true },
      { id: 'github', label: 'GitHub', configured: true },
    ])
  })

  it('leaves with state, PKCE and, where there is an ID token, a nonce', async () => {
    asGoogle()
    asGithub()
    const [one, other] = [new URL((await leave('google')).location), new URL((await leave('github')).location)]
    for (const { searchParams } of [one, other]) {
      expect(searchParams.get('code_challenge_method')).to.equal('S256')
      expect(searchParams.get('code_challenge')).to.have.length(43)
      expect(searchParams.get('state')?.length).to.be.greaterThan(40)
      expect(searchParams.get('redirect_uri')).to.match(/^https:\/\/service\.test\/v1\/oauth\/\w+\/callback$/)
    }
    expect(one.searchParams.get('nonce')?.length).to.be.greaterThan(40)
  })

  for (const provider of ['google', 'github'] as const) {
    it(`makes a tenant for a new person of ${provider}, without a key, and knows them again`, async () => {
      const email = provider === 'google' ? asGoogle() : asGithub()
      const first = await signIn(provider, '/jobs')
      expect(first.headers.get('location')).to.equal('/jobs?oauth=signup')
      const cookies = first.headers.getSetCookie().join('\n')
      expect(cookies).to.match(/svc_session=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure/)
      expect(cookies).to.match(/svc_login=; Path=\/v1; Max-Age=0/)
      const who = await whoami(first)
      expect(who.body).to.include({ kind: 'member', key_id: null })
      const second = await signIn(provider)
      expect(second.headers.get('location')).to.equal('/?oauth=signin')
      expect((await whoami(second)).body.tenant_id).to.equal(who.body.tenant_id)
      const op = setUpOperation(database.db, who.body.tenant_id)
      await expectAudited(op, 'identity.linked', who.body.member_id)
      const [tenant] = await sendSql<{ email: string; isVerified: boolean }>(
        database.db,
        'select email, is_email_verified as "isVerified" from tenants where id = $1',
        [who.body.tenant_id],
      )
      expect(tenant).to.deep.equal({ email, isVerified: true })
    })
  }

  it('joins a tenant whose address is verified here as well', async () => {
    const email = asGoogle()
    const tenant = await signUp(email)
    await api.call('POST', '/v1/auth/email/confirm', {
      body: { token: await mailedToken(database.db, email, 'verify') },
    })
    expect((await whoami(await signIn('google'))).body.tenant_id).to.equal(tenant.id)
    expect((await api.call('GET', '/v1/whoami', { key: tenant.key })).status).to.equal(200)
  })

  it('a pre-registered unverified account is not joined', async () => {
    const email = asGoogle()
    const trap = await signUp(email)
    const answer = await whoami(await signIn('google'))
    expect(answer.status).to.equal(200)
    expect(answer.body.tenant_id).to.not.equal(trap.id)
    // The address is the newcomer's now: the trap can never claim it.
    const late = await api.call('POST', '/v1/auth/email/confirm', {
      body: { token: await mailedToken(database.db, email, 'verify') },
    })
    expect(late.body.code).to.equal('email_exists')
  })

  it('does not let another person of the provider in by the same address', async () => {
    const email = asGoogle()
    await signIn('google')
    google.person = { ...google.person, sub: `person-${people++}`, email: email.toUpperCase() }
    expect(errorOf(await signIn('google'))).to.equal('account_link_required')
  })

  it('follows a person whose address changes at the provider', async () => {
    asGoogle()
    const first = await whoami(await signIn('google'))
    google.person = { ...google.person, email: newAddress() }
    expect((await whoami(await signIn('google'))).body.tenant_id).to.equal(first.body.tenant_id)
  })

  it('takes verified addresses only, and of several the primary one', async () => {
    asGoogle({ email_verified: false })
    expect(errorOf(await signIn('google'))).to.equal('email_unverified')
    const [first, second] = [newAddress(), newAddress()]
    asGithub([
      { email: first, primary: true, verified: false },
      { email: second, primary: false, verified: true },
    ])
    expect(errorOf(await signIn('github'))).to.equal('email_unverified')
    const rows = await sendSql(database.db, 'select 1 from tenants where email in ($1, $2)', [first, second])
    expect(rows).to.deep.equal([])
  })

  it('takes an answer once, from the browser that left, and in time', async () => {
    asGoogle()
    const { back, cookie } = await leave('google')
    const without = await comeBack(back, '')
    expect(errorOf(without)).to.equal('oidc_response_refused')
    expect(errorOf(await comeBack(back, (await leave('google')).cookie))).to.equal('oidc_response_refused')
    expect((await comeBack(back, cookie)).headers.get('location')).to.equal('/?oauth=signup')
    expect(errorOf(await comeBack(back, cookie))).to.equal('oidc_response_refused')
    const late = await leave('google')
    time += 11 * MINUTE_MS
    expect(errorOf(await comeBack(late.back, late.cookie))).to.equal('oidc_response_refused')
  })

  it('refuses a code that is not for this sign-in, and a person who said no', async () => {
    asGoogle()
    asGithub()
    for (const provider of ['google', 'github'] as const) {
      const [one, other] = [await leave(provider), await leave(provider)]
      one.back.searchParams.set('code', other.back.searchParams.get('code') ?? '')
      expect(errorOf(await comeBack(one.back, one.cookie)), provider).to.equal('oidc_response_refused')
      const refused = await leave(provider)
      refused.back.searchParams.delete('code')
      refused.back.searchParams.set('error', 'access_denied')
      expect(errorOf(await comeBack(refused.back, refused.cookie)), provider).to.equal('oidc_response_refused')
    }
  })

  it('refuses a person who was removed, and makes a new tenant for a person whose account was deleted', async () => {
    asGoogle()
    const first = (await whoami(await signIn('google'))).body
    const setState = async (state: string) =>
      await sendSql(database.db, 'update members set state = $2 where id = $1', [first.member_id, state])
    await setState('deactivated')
    expect(errorOf(await signIn('google'))).to.equal('forbidden')
    await setState('active')
    const session = await signIn('google')
    const asOwner = { cookie: cookieOf(session, 'svc_session'), 'sec-fetch-site': 'same-origin' }
    const { body: account } = await api.call('GET', '/v1/account', { headers: asOwner })
    const confirm = `DELETE ${account.name}`
    const deleted = await api.call('POST', '/v1/account/delete', { headers: asOwner, body: { confirm } })
    expect(deleted.status, deleted.text).to.equal(200)
    const again = await signIn('google')
    expect(again.headers.get('location')).to.equal('/?oauth=signup')
    expect((await whoami(again)).body.tenant_id).to.not.equal(first.tenant_id)
  })

  it('makes a tenant for a former owner who transferred theirs and was removed from it', async () => {
    asGoogle()
    const owner = await signIn('google')
    const { tenant_id: tenantId, member_id: memberId } = (await whoami(owner)).body
    const op = setUpOperation(database.db, tenantId)
    await givenPlan(database.db, tenantId, 'teams')
    const heir = await givenMember(op, { role: 'admin' })
    const handed = await api.call('POST', `/v1/orgs/${tenantId}/transfer-owner`, {
      headers: { cookie: cookieOf(owner, 'svc_session'), 'sec-fetch-site': 'same-origin' },
      body: { member_id: heir.id },
    })
    expect(handed.status, handed.text).to.equal(200)
    expect((await whoami(await signIn('google'))).body).to.include({ tenant_id: tenantId, member_id: memberId })
    const { headers } = await givenSession(database.db, heir)
    const removed = await api.call('DELETE', `/v1/orgs/${tenantId}/members/${memberId}`, { headers })
    expect(removed.status, removed.text).to.equal(200)
    const again = await signIn('google')
    expect(again.headers.get('location')).to.equal('/?oauth=signup')
    expect((await whoami(again)).body.tenant_id).to.not.equal(tenantId)
  })

  it('answers errors to programs as to any other call', async () => {
    const answer = await api.call('GET', '/v1/oauth/google/callback?code=x&state=y', {
      headers: { accept: 'application/json' },
    })
    expect([answer.status, answer.body.code]).to.deep.equal([401, 'oidc_response_refused'])
    expect(answer.headers.get('location')).to.equal(null)
  })

  it('never redirects to another site afterwards', async () => {
    asGoogle()
    for (const redirect of ['//evil.test', '/\\evil.test', 'https://evil.test', '/\nx', 'x']) {
      const location = (await signIn('google', redirect)).headers.get('location')
      expect(location, redirect).to.match(/^\/\?oauth=sign(in|up)$/)
    }
  })

  it('has short paths that lead to the canonical ones', async () => {
    const start = await api.call('GET', '/v1/auth/github?redirect=/jobs')
    expect([start.status, start.headers.get('location')]).to.deep.equal([
      302,
      '/v1/oauth/github/start?redirect=%2Fjobs',
    ])
    const callback = await api.call('GET', '/v1/auth/google/callback?code=abc123&state=st456&x=1')
    expect(callback.headers.get('location')).to.equal('/v1/oauth/google/callback?code=abc123&state=st456')
    const unknown = await api.call('GET', '/v1/oauth/myspace/start')
    expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'not_found'])
  })

  it('makes no tenants on a service that is by invitation only', async () => {
    const stores = { database, temporal: NO_TEMPORAL }
    const { oauth } = api.server.services.settings
    const server = await startServer(
      serverOptions({ settings: { oauth, publicUrl: PUBLIC_URL, isInviteOnly: true } }, stores),
    )
    try {
      asGoogle()
      const start = await call(server.url, 'GET', '/v1/oauth/google/start')
      const back = await openBrowser().follow(start.headers.get('location') ?? '', HOST)
      const answer = await call(server.url, 'GET', back.pathname + back.search, {
        headers: { cookie: cookieOf(start, 'svc_login') },
      })
      expect(errorOf(answer)).to.equal('signup_disabled')
    } finally {
      await server.stop()
    }
  })
})

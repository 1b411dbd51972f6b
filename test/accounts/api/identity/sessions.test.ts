import { request } from 'node:http'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../../core/limits.ts'
import { openSession } from '../../../../db/accounts/sessions/open-session.ts'
import { ADMIN_KEY, givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import {
  findOwner,
  givenMember,
  givenPlan,
  givenSession,
  setUpOperation,
} from '../../../support/people/given-members.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

const DAY_MS = 86_400_000

/** The value of the session cookie that an answer sets. */
function tokenOf(answer: Answer): string {
  const token = /^svc_session=([\w-]+);/.exec(answer.headers.get('set-cookie') ?? '')?.[1]
  if (token === undefined) throw new Error('the answer sets no session cookie')
  return token
}

const carrying = (token: string) => ({ cookie: `svc_session=${token}`, 'sec-fetch-site': 'same-origin' })

describe('sessions', () => {
  const api = useApi()
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const signIn = async (key = tenant.key): Promise<string> =>
    tokenOf(await api.call('POST', '/v1/signin', { body: { api_key: key } }))
  const whoami = async (headers: Readonly<Record<string, string>>) => await api.call('GET', '/v1/whoami', { headers })

  it('logout ends the session on the server', async () => {
    const token = await signIn()
    expect((await whoami(carrying(token))).status).to.equal(200)
    const out = await api.call('POST', '/v1/session/logout', { headers: carrying(token) })
    expect(out.status).to.equal(200)
    expect(out.headers.get('set-cookie')).to.match(/^svc_session=; .*Max-Age=0/)
    const after = await whoami(carrying(token))
    expect([after.status, after.body.code]).to.deep.equal([401, 'session_expired'])
    expect((await api.call('POST', '/v1/session/logout', { headers: carrying(token) })).status).to.equal(200)
  })

  it('a page without a key asks for the state of its session, and for the configured ways to sign in', async () => {
    const ask = async (headers = {}) => await api.call('GET', '/v1/session', { headers })
    const none = await ask()
    expect(none.status, none.text).to.equal(200)
    expect(none.body.session).to.equal('none')
    expect(none.body.ways).to.deep.equal({ mail: false, providers: [], sso: false, sign_up: true })
    expect(none.headers.get('cache-control')).to.contain('no-store')
    const token = await signIn()
    expect((await ask(carrying(token))).body.session).to.equal('open')
    await api.call('POST', '/v1/session/logout', { headers: carrying(token) })
    expect((await ask(carrying(token))).body.session).to.equal('ended')
    const foreign = await ask({ 'sec-fetch-site': 'cross-site' })
    expect([foreign.status, foreign.body.code]).to.deep.equal([403, 'csrf_rejected'])
  })

  it('the cookie is not the key', async () => {
    const answer = await api.call('POST', '/v1/session/login', { body: { api_key: tenant.key } })
    const token = tokenOf(answer)
    expect(token).to.match(/^[\w-]{43}$/)
    expect(answer.text).to.not.contain(tenant.key)
    expect(answer.headers.get('set-cookie')).to.contain('HttpOnly').and.contain('SameSite=Lax')
    expect((await api.call('GET', '/v1/whoami', { key: token })).body.code).to.equal('invalid_credential')
    expect((await whoami(carrying(tenant.key))).body.code).to.equal('session_expired')
  })

  it('a call with a key gets no cookie', async () => {
    for (const path of ['/v1/whoami', '/v1/account']) {
      const answer = await api.call('GET', path, { key: tenant.key })
      expect([answer.status, answer.headers.get('set-cookie')]).to.deep.equal([200, null])
    }
  })

  it('the admin key and a SCIM token open no session', async () => {
    for (const key of [ADMIN_KEY, `scim_${'0'.repeat(12)}_${'0'.repeat(26)}`]) {
      const answer = await api.call('POST', '/v1/signin', { body: { api_key: key } })
      expect([answer.status, answer.body.code, answer.headers.get('set-cookie')]).to.deep.equal([
        401,
        'invalid_credential',
        null,
      ])
    }
    const asCookie = await api.call('GET', '/v1/whoami', { headers: carrying(ADMIN_KEY) })
    expect(asCookie.status).to.equal(401)
  })

  it('are refused when a request carries two of them, or a credential twice', async () => {
    const [one, two] = [await signIn(), await signIn()]
    const both = await whoami({ ...carrying(one), cookie: `svc_session=${one}; svc_session=${two}` })
    expect([both.status, both.body.code]).to.deep.equal([400, 'ambiguous_credentials'])
    const same = await whoami({ ...carrying(one), cookie: `svc_session=${one}; svc_session=${one}` })
    expect(same.status).to.equal(200)
    for (const [name, value] of [
      ['authorization', `Bearer ${tenant.key}`],
      ['x-api-key', tenant.key],
      ['x-admin-key', ADMIN_KEY],
    ] as const) {
      expect(await twice(`${api.url}/v1/whoami`, name, value), name).to.equal(400)
    }
  })

  it('are listed for their member and ended one by one, on the server', async () => {
    const own = await givenApiTenant(api)
    const { db } = api.server.services
    const op = setUpOperation(db, own.id)
    await givenPlan(db, own.id, 'teams')
    const member = await givenSession(db, await givenMember(op, { role: 'member' }))
    const first = await signIn(own.key)
    const listed = await api.call('GET', '/v1/account/sessions', { headers: carrying(first) })
    const current = listed.body.sessions.find((session: { is_current: boolean }) => session.is_current)
    expect(listed.body.sessions).to.have.length(2)
    expect(current).to.include({ auth_method: 'key', member_id: (await findOwner(op)).id, user_agent: 'node' })
    expect(listed.text).to.not.contain(first)

    const seen = await api.call('GET', '/v1/account/sessions', { headers: member.headers })
    expect(seen.body.sessions.map(({ id }: { id: string }) => id)).to.deep.equal([member.sessionId])
    const foreign = await api.call('DELETE', `/v1/account/sessions/${current.id}`, { key: tenant.key })
    expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'not_found'])
    const path = `/v1/account/sessions/${member.sessionId}`
    const { body: minted } = await api.call('POST', '/v1/account/scoped-keys', {
      key: own.key,
      body: { scopes: ['account:read'] },
    })
    const narrow = await api.call('DELETE', path, { key: minted.api_key })
    expect([narrow.status, narrow.body.code, narrow.body.details.required]).to.deep.equal([
      403,
      'insufficient_scope',
      'account:write',
    ])
    for (let i = 0; i < 2; i++) expect((await api.call('DELETE', path, { key: own.key })).status).to.equal(200)
    expect((await whoami(member.headers)).body.code).to.equal('session_expired')
    await expectAudited(op, 'session.revoked', member.sessionId)
  })

  it('are ended by their member from any other one, and by no other member', async () => {
    const own = await givenApiTenant(api)
    const { db } = api.server.services
    const op = setUpOperation(db, own.id)
    await givenPlan(db, own.id, 'teams')
    const viewer = await givenMember(op, { role: 'viewer' })
    const [lost, here] = [await givenSession(db, viewer), await givenSession(db, viewer)]
    const other = await givenSession(db, await givenMember(op, { role: 'admin' }))
    const end = async (sessionId: string, headers: Readonly<Record<string, string>>) =>
      await api.call('DELETE', `/v1/account/sessions/${sessionId}`, { headers })
    expect((await end(lost.sessionId, other.headers)).body.code).to.equal('not_found')
    expect((await end(lost.sessionId, here.headers)).status).to.equal(200)
    expect((await whoami(lost.headers)).body.code).to.equal('session_expired')
    expect((await whoami(here.headers)).status).to.equal(200)
    expect((await end(other.sessionId, here.headers)).body.code).to.equal('not_found')
  })

  it('of a member have the rights of the role, and end with the member', async () => {
    const own = await givenApiTenant(api)
    const { db } = api.server.services
    await givenPlan(db, own.id, 'teams')
    const op = setUpOperation(db, own.id)
    const viewer = await givenSession(db, await givenMember(op, { role: 'viewer' }))
    const answer = await whoami(viewer.headers)
    expect(answer.body).to.include({ kind: 'member', key_id: null, session_id: viewer.sessionId, tenant_id: own.id })
    expect(answer.body.scopes).to.include('compile:read').and.not.include('compile:write')
    const narrow = await api.call('POST', '/v1/compile', { body: {}, headers: viewer.headers })
    expect([narrow.status, narrow.body.code]).to.deep.equal([403, 'insufficient_scope'])
    await sendSql(db, `update members set state = 'deactivated' where id = $1`, [answer.body.member_id])
    await sendSql(db, `select pg_notify('svc_keys', $1)`, [answer.body.member_id])
    await until(async () => (await whoami(viewer.headers)).status === 401)
  })

  it('of a member who was removed while no process listened do not open again', async () => {
    const own = await givenApiTenant(api)
    const { db } = api.server.services
    const op = setUpOperation(db, own.id)
    const owner = await findOwner(op)
    const { token } = await openSession(op, {
      keyId: null,
      memberId: owner.id,
      authMethod: 'oauth',
      limits: DEFAULT_LIMITS,
    })
    await sendSql(db, `update members set state = 'deactivated' where id = $1`, [owner.id])
    expect((await whoami(carrying(token))).body.code).to.equal('session_expired')
    expect((await api.call('GET', '/v1/whoami', { key: own.key })).body.code).to.equal('invalid_credential')
  })

  it('old ways in say where the new ones are', async () => {
    for (const [path, successor] of [
      ['/v1/auth/login', '/v1/signin'],
      ['/v1/auth/signup', '/v1/signup'],
    ]) {
      const answer = await api.call('POST', path ?? '', { body: { email: 'a@example.test' } })
      expect(answer.status).to.equal(410)
      expect(answer.body).to.include({ ok: false, error: 'endpoint_deprecated', redirect: successor })
      expect(answer.headers.get('deprecation')).to.match(/^@\d+$/)
      expect(answer.headers.get('link')).to.equal(`<${successor}>; rel="successor-version"`)
    }
  })
})

describe('a session that is used', () => {
  let time = Date.now()
  // Nothing is remembered, so that each call asks the database as after a minute.
  const api = useApi({ limits: { key_cache_s: 0 }, now: () => new Date(time) })

  it('rolls forward, and sends its cookie again then, but not at every call', async () => {
    const { key } = await givenApiTenant(api)
    const token = tokenOf(await api.call('POST', '/v1/signin', { body: { api_key: key } }))
    const cookie = async () =>
      (await api.call('GET', '/v1/whoami', { headers: carrying(token) })).headers.get('set-cookie')
    expect(await cookie()).to.equal(null)
    time += DAY_MS
    expect(await cookie())
      .to.contain(`svc_session=${token};`)
      .and.contain('Max-Age=2592000')
    expect(await cookie()).to.equal(null)
  })

  it('ends after 90 days, however much it is used', async () => {
    const { key } = await givenApiTenant(api)
    const token = tokenOf(await api.call('POST', '/v1/signin', { body: { api_key: key } }))
    const statuses: number[] = []
    for (let day = 20; day <= 100; day += 20) {
      time += 20 * DAY_MS
      statuses.push((await api.call('GET', '/v1/whoami', { headers: carrying(token) })).status)
    }
    expect(statuses).to.deep.equal([200, 200, 200, 200, 401])
  })

  it('ends after 30 days without a call', async () => {
    const { key } = await givenApiTenant(api)
    const token = tokenOf(await api.call('POST', '/v1/signin', { body: { api_key: key } }))
    time += 30 * DAY_MS
    const { status, body } = await api.call('GET', '/v1/whoami', { headers: carrying(token) })
    expect([status, body.code]).to.deep.equal([401, 'session_expired'])
  })
})

/** A request with one header on two lines, which `fetch` would join. */
async function twice(url: string, name: string, value: string): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const sent = request(url, { headers: { [name]: [value, value] } }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end()
  })
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

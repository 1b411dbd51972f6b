import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { mintKey } from '../../../../db/accounts/keys/key-text.ts'
import { givenApiTenant, useApi, type Answer } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import {
  findOwner,
  givenMember,
  givenPlan,
  givenSession,
  setUpOperation,
} from '../../../support/people/given-members.ts'
import { mailedToken, mailsTo } from '../../../support/mail/mails.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

const MINUTE_MS = 60_000
const newAddress = () => `${randomBytes(8).toString('hex')}@example.test`

describe('sign-in by mail', () => {
  let time = Date.now()
  const api = useApi({
    settings: { isMailConfigured: true, publicUrl: 'https://service.test' },
    limits: { mails_per_ip_15min: 100_000 },
    now: () => new Date(time),
  })
  const db = () => api.server.services.db
  const start = async (email: string, more: object = {}) =>
    await api.call('POST', '/v1/auth/email/start', { body: { email, ...more } })
  const confirm = async (token: string) => await api.call('POST', '/v1/auth/email/confirm', { body: { token } })
  const cookieOf = (answer: Answer) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const signUp = async (email = newAddress()) => {
    const answer = await api.call('POST', '/v1/signup', { body: { email } })
    expect(answer.status, answer.text).to.equal(201)
    return { email, key: String(answer.body.api_key), id: String(answer.body.tenant.id) }
  }
  const verified = async () => {
    const own = await signUp()
    expect((await confirm(await mailedToken(db(), own.email, 'verify'))).status).to.equal(200)
    return own
  }

  it('verifies an address by a mailed token, once, and opens no session by that', async () => {
    const own = await signUp()
    const token = await mailedToken(db(), own.email, 'verify')
    const answer = await confirm(token)
    expect(answer.body).to.include({ did: 'verified', api_key: null })
    expect(answer.headers.get('set-cookie')).to.equal(null)
    expect((await confirm(token)).body.code).to.equal('invalid_token')
    await expectAudited(setUpOperation(db(), own.id), 'email.verified', own.id)
    expect((await findOwner(setUpOperation(db(), own.id))).isEmailVerified).to.equal(true)
  })

  it('sends that mail again when it is asked for', async () => {
    const own = await signUp()
    const again = await api.call('POST', '/v1/account/email/verify', { key: own.key })
    expect([again.status, again.body.email, again.body.already_verified]).to.deep.equal([202, own.email, false])
    await expectAudited(setUpOperation(db(), own.id), 'email.verification_requested', own.id)
    expect((await mailsTo(db(), own.email)).map(({ template }) => template)).to.deep.equal(['verify', 'verify'])
    await confirm(await mailedToken(db(), own.email, 'verify'))
    const over = await api.call('POST', '/v1/account/email/verify', { key: own.key })
    expect(over.body.already_verified).to.equal(true)
    const workspace = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    const refused = await api.call('POST', '/v1/account/email/verify', { key: workspace.body.anon_token })
    expect([refused.status, refused.body.details.fields[0].field]).to.deep.equal([400, 'email'])
  })

  it('signs in the person who reads the mail of a verified address', async () => {
    const own = await verified()
    expect((await start(own.email.toUpperCase(), { redirect: '/jobs?x=1' })).status).to.equal(200)
    const token = await mailedToken(db(), own.email, 'sign_in')
    const answer = await confirm(token)
    expect(answer.body).to.include({ did: 'signed_in', api_key: null, redirect: '/jobs?x=1' })
    expect(answer.text).to.not.contain(token)
    const headers = { cookie: cookieOf(answer), 'sec-fetch-site': 'same-origin' }
    const who = await api.call('GET', '/v1/whoami', { headers })
    expect(who.body).to.include({ tenant_id: own.id, kind: 'member', key_id: null })
    expect(who.body.scopes).to.deep.equal(['*'])
    expect((await confirm(token)).body.code).to.equal('invalid_token')
  })

  it('answers the same for every address, and mails only those that have an account', async () => {
    const own = await verified()
    const unverified = await signUp()
    const stranger = newAddress()
    const answers = []
    for (const email of [own.email, unverified.email, stranger]) answers.push(await start(email))
    for (const answer of answers) {
      expect([answer.status, answer.body.ok, answer.body.expires_in_s]).to.deep.equal([200, true, 900])
    }
    const states = async (email: string) =>
      (await mailsTo(db(), email)).filter(({ template }) => template === 'sign_in').map(({ state }) => state)
    expect(await states(own.email)).to.deep.equal(['queued'])
    // The maker of an account with an unverified address may be another person than the reader of its mail.
    expect(await states(unverified.email)).to.deep.equal(['failed'])
    expect(await states(stranger)).to.deep.equal(['failed'])
  })

  it('mails an address a few times an hour, and goes on answering the same', async () => {
    const own = await verified()
    for (let i = 0; i < 7; i++) expect((await start(own.email)).status).to.equal(200)
    const queued = (await mailsTo(db(), own.email)).filter((mail) => mail.template === 'sign_in')
    expect(queued.filter(({ state }) => state === 'queued')).to.have.length(5)
  })

  it('leads into the organisation that is meant, where an address is in several', async () => {
    const [own, other] = [await verified(), await verified()]
    await givenPlan(db(), other.id, 'teams')
    await givenMember(setUpOperation(db(), other.id), { role: 'viewer', email: own.email })
    const [org] = await sendSql<{ name: string }>(db(), 'select name from tenants where id = $1', [other.id])
    const tenantOf = async (more: object) => {
      time += 1000
      await start(own.email, more)
      return (await confirm(await mailedToken(db(), own.email, 'sign_in'))).body.tenant.id
    }
    expect(await tenantOf({})).to.equal(own.id)
    expect(await tenantOf({ org: other.id })).to.equal(other.id)
    expect(await tenantOf({ org: org?.name })).to.equal(other.id)
    const sent = (await mailsTo(db(), own.email)).findLast(({ template }) => template === 'sign_in')
    expect(sent?.params['workspace']).to.equal(org?.name)
    const stranger = await verified()
    const asked = await start(stranger.email, { org: other.id })
    expect([asked.status, asked.body.expires_in_s]).to.deep.equal([200, 900])
    const states = (await mailsTo(db(), stranger.email)).filter(({ template }) => template === 'sign_in')
    expect(states.map(({ state }) => state)).to.deep.equal(['failed'])
  })

  it('signs in an owner however they became a member, and no other member who came through a provider', async () => {
    const own = await verified()
    const op = setUpOperation(db(), own.id)
    await sendSql(db(), `update members set source = 'saml' where tenant_id = $1`, [own.id])
    await givenPlan(db(), own.id, 'teams')
    const colleague = await givenMember(op, { role: 'admin' })
    await sendSql(db(), `update members set source = 'scim' where id = $1`, [colleague.id])
    for (const email of [own.email, colleague.email]) await start(email)
    const answer = await confirm(await mailedToken(db(), own.email, 'sign_in'))
    expect(answer.body).to.include({ did: 'signed_in' })
    expect((await mailsTo(db(), colleague.email)).map(({ state }) => state)).to.deep.equal(['failed'])
  })

  it('refuses a person who was removed, or whose account was deleted, after the mail was sent', async () => {
    const own = await verified()
    const op = setUpOperation(db(), own.id)
    await givenPlan(db(), own.id, 'teams')
    const member = await givenMember(op, { role: 'member' })
    for (const email of [own.email, member.email]) await start(email)
    await start(own.email, { mode: 'recover' })
    const tokens = await Promise.all([
      mailedToken(db(), member.email, 'sign_in'),
      mailedToken(db(), own.email, 'sign_in'),
      mailedToken(db(), own.email, 'recover'),
    ])
    await api.call('DELETE', `/v1/orgs/${own.id}/members/${member.id}`, { key: own.key })
    expect((await confirm(tokens[0])).body.code).to.equal('invalid_token')
    const { body: account } = await api.call('GET', '/v1/account', { key: own.key })
    const confirmation = { confirm: `DELETE ${account.name}` }
    expect((await api.call('POST', '/v1/account/delete', { key: own.key, body: confirmation })).status).to.equal(200)
    for (const token of tokens.slice(1)) {
      const { status, body, headers } = await confirm(token)
      expect([status, body.code, headers.get('set-cookie')]).to.deep.equal([400, 'invalid_token', null])
    }
  })

  it('limits mails to an unverified address per hour, however many accounts have it', async () => {
    const victim = newAddress()
    const claim = async () => {
      const { body } = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
      const claimed = await api.call('POST', '/v1/anon/claim', { body: { anon_token: body.anon_token, email: victim } })
      expect(claimed.status, claimed.text).to.equal(200)
      return { key: String(claimed.body.api_key), name: String(claimed.body.tenant.name) }
    }
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const { key, name } = await claim()
      const asked = await api.call('POST', '/v1/account/email/verify', { key })
      statuses.push(asked.status)
      if (asked.status === 429) expect(Number(asked.headers.get('retry-after'))).to.be.within(1, 3600)
      const deleted = await api.call('POST', '/v1/account/delete', { key, body: { confirm: `DELETE ${name}` } })
      expect(deleted.status, deleted.text).to.equal(200)
    }
    expect(statuses).to.deep.equal([202, 202, 429, 429])
    const mails = (await mailsTo(db(), victim)).map(({ template }) => template)
    expect(mails).to.have.members(['verify', 'verify', 'tenant_deleted', 'verify', 'verify'])
    // Who really has it gets in nevertheless.
    await claim()
    await start(victim, { mode: 'recover' })
    expect((await confirm(await mailedToken(db(), victim, 'recover'))).body.did).to.equal('recovered')
  })

  it('takes no two mailboxes for one address', async () => {
    const kelvin = '\u212A'
    for (const path of ['/v1/signup', '/v1/auth/email/start']) {
      const { status, body } = await api.call('POST', path, { body: { email: `mar${kelvin}@example.test` } })
      expect([status, body.code, body.details.fields[0].field]).to.deep.equal([400, 'validation_failed', 'email'])
    }
  })

  it('gives a new key in place of all others, and ends every session, when it recovers', async () => {
    const own = await verified()
    const op = setUpOperation(db(), own.id)
    const session = await givenSession(db(), await findOwner(op))
    await start(own.email, { mode: 'recover' })
    const answer = await confirm(await mailedToken(db(), own.email, 'recover'))
    expect(answer.body.did).to.equal('recovered')
    expect(answer.body.api_key).to.match(/^ks_/)
    expect((await api.call('GET', '/v1/whoami', { key: answer.body.api_key })).body.tenant_id).to.equal(own.id)
    expect((await api.call('GET', '/v1/whoami', { key: own.key })).body.code).to.equal('invalid_credential')
    expect((await api.call('GET', '/v1/whoami', { headers: session.headers })).body.code).to.equal('session_expired')
    const headers = { cookie: cookieOf(answer), 'sec-fetch-site': 'same-origin' }
    expect((await api.call('GET', '/v1/whoami', { headers })).status).to.equal(200)
    await expectAudited(op, 'tenant.recovered', own.id)
  })

  it('recovers the whole account that another person made with the address', async () => {
    const own = await signUp()
    const op = setUpOperation(db(), own.id)
    await givenPlan(db(), own.id, 'teams')
    const accomplice = await givenSession(db(), await givenMember(op, { role: 'admin' }))
    await start(own.email, { mode: 'recover' })
    const answer = await confirm(await mailedToken(db(), own.email, 'recover'))
    expect(answer.status, answer.text).to.equal(200)
    expect((await api.call('GET', '/v1/whoami', { key: own.key })).status).to.equal(401)
    expect((await api.call('GET', '/v1/whoami', { headers: accomplice.headers })).status).to.equal(401)
    const [left] = await sendSql<{ active: number }>(
      db(),
      `select count(*) as active from members where tenant_id = $1 and state = 'active'`,
      [own.id],
    )
    expect(left?.active).to.equal(1)
  })

  it('refuses to verify an address that another account has verified meanwhile', async () => {
    const own = await signUp()
    const token = await mailedToken(db(), own.email, 'verify')
    time += 1000
    const workspace = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    await api.call('POST', '/v1/anon/claim', { body: { anon_token: workspace.body.anon_token, email: own.email } })
    expect((await confirm(await mailedToken(db(), own.email, 'verify'))).status).to.equal(200)
    const late = await confirm(token)
    expect([late.status, late.body.code]).to.deep.equal([409, 'email_exists'])
  })

  it('refuses tokens that are too old, made up, or of another kind', async () => {
    const own = await verified()
    await start(own.email)
    const token = await mailedToken(db(), own.email, 'sign_in')
    time += 16 * MINUTE_MS
    const late = await confirm(token)
    expect([late.status, late.body.code]).to.deep.equal([410, 'token_expired'])
    for (const made of [randomBytes(32).toString('base64url'), own.key, (await mintKey(db().hashSlots, 'ks')).apiKey]) {
      expect((await confirm(made)).body.code).to.equal('invalid_token')
    }
  })

  it('lets one of two in who show a token at the same time', async () => {
    const own = await verified()
    await start(own.email)
    const token = await mailedToken(db(), own.email, 'sign_in')
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(token)))
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    expect(answers.filter(({ body }) => body.code === 'invalid_token')).to.have.length(7)
  })

  it('never redirects to another site', async () => {
    const own = await verified()
    for (const redirect of ['//evil.test', '/\\evil.test', 'https://evil.test', '/\tx', 'jobs']) {
      time += 1000
      await start(own.email, { redirect })
      const [newest] = (await mailsTo(db(), own.email)).filter(({ state }) => state === 'queued').slice(-1)
      const answer = await confirm(newest?.params['link']?.split('#confirm=')[1] ?? '')
      expect(answer.body.redirect, redirect).to.equal('/')
    }
  })
})

describe('a service without a mail server', () => {
  const api = useApi()

  it('says so when a mail is asked for', async () => {
    const tenant = await givenApiTenant(api)
    const answers = [
      await api.call('POST', '/v1/auth/email/start', { body: { email: 'a@example.test' } }),
      await api.call('POST', '/v1/account/email/verify', { key: tenant.key }),
    ]
    for (const { status, body } of answers) expect([status, body.code]).to.deep.equal([503, 'mail_not_configured'])
  })
})
